import { Button, Skeleton, Stack, Tabs } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ItemList, ItemRow } from "./details.tsx";
import { formatBytes } from "./format.ts";
import classes from "./messages.module.css";
import { Breadcrumbs, PageHeader } from "./page-header.tsx";
import { Panel, SideBySide } from "./panel.tsx";
import { PanelSkeleton, QueryView } from "./query-view.tsx";

/**
 * A page about one message: its content, with facts beside it.
 *
 * @param list the page that lists such messages
 * @param noun "this email"
 * @param head props of the page's header besides the title
 */
export const MessagePage = <Message extends { subject: string | null }>({
  query,
  list,
  noun,
  skeleton = <MessageSkeleton />,
  head,
  side,
  children,
}: {
  query: UseQueryResult<Message>;
  list: { label: string; href: string };
  noun: string;
  skeleton?: ReactNode;
  head: (message: Message) => Partial<Parameters<typeof PageHeader>[0]>;
  side: (message: Message) => ReactNode;
  children: (message: Message) => ReactNode;
}) => (
  <>
    <Breadcrumbs trail={[list]} />
    <QueryView query={query} noun={noun} skeleton={skeleton} titleOrder={1}>
      {(message) => (
        <>
          <PageHeader title={message.subject || "(no subject)"} {...head(message)} />
          <SideBySide side={side(message)}>
            <Stack gap="md">{children(message)}</Stack>
          </SideBySide>
        </>
      )}
    </QueryView>
  </>
);

const MessageSkeleton = () => (
  <>
    <Skeleton height={20} width="45%" mt={4} mb={8} />
    <Skeleton height={12} width={80} mb={32} />
    <PanelSkeleton count={9} />
  </>
);

type MessageTabsProps = {
  title: string;
  parts: { name: string; panel: ReactNode }[];
  /** The tab that is open first. */
  open?: string;
};

/** The parts of a message in tabs. */
export const MessageTabs = ({ title, parts, open = parts[0]!.name }: MessageTabsProps) => (
  <Panel title={title}>
    <Tabs defaultValue={open} keepMounted={false}>
      {/* Scrolls instead of wrapping on phones. */}
      <Tabs.List mb="md" className={classes.tabs}>
        {parts.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {parts.map(({ name, panel }) => (
        <Tabs.Panel key={name} value={name}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  </Panel>
);

/** Shows plain text without loading, running or linking anything in it. */
export const MessageText = ({ text }: { text: string }) => (
  <div className={classes.text} tabIndex={0} role="region" aria-label="Text">
    {text}
  </div>
);

type AttachedFile = { position: number; filename: string | null; size: number };

export function AttachmentList<File extends AttachedFile>({
  files,
  factsOf,
  hrefOf,
}: {
  files: readonly File[];
  factsOf: (file: File) => (string | null | false)[];
  hrefOf: (file: File) => string;
}) {
  if (files.length === 0) return null;
  return (
    <Panel title="Attachments">
      <ItemList label="Attachments">
        {files.map((file) => {
          const name = file.filename ?? `attachment-${file.position + 1}`;
          return (
            <ItemRow
              key={file.position}
              title={name}
              actions={<DownloadButton href={hrefOf(file)} label={`Download ${name}`} />}
            >
              {[formatBytes(file.size), ...factsOf(file)].filter(Boolean).join(", ")}
            </ItemRow>
          );
        })}
      </ItemList>
    </Panel>
  );
}

type DownloadButtonProps = {
  href: string;
  /** The accessible name, if the text alone isn't clear. */
  label?: string;
  children?: string;
};

export const DownloadButton = ({ href, label, children = "Download" }: DownloadButtonProps) => (
  <Button
    component="a"
    href={href}
    download
    variant="default"
    size="xs"
    leftSection={<IconDownload size={14} />}
    {...(label !== undefined && { "aria-label": label })}
  >
    {children}
  </Button>
);
