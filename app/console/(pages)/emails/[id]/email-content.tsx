"use client";

import { Button, Group, SegmentedControl, Skeleton, Tabs, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { CODE_SNIPPETS, requestBody } from "#app/console/(pages)/emails/email-code.ts";
import classes from "#app/console/(pages)/emails/emails.module.css";
import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { inlineContentIds } from "#app/console/(pages)/emails/preview-document.ts";
import {
  type EmailDetail,
  emailSourceQuery,
  readAttachment,
} from "#app/console/(pages)/emails/queries.ts";
import { downloadUrl } from "#app/console/console-client.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { formatBytes } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

/** Larger images are replaced with a placeholder; they can still be downloaded. */
const IMAGE_BYTES_MAX = 5_000_000;

type File = EmailDetail["attachments"][number];

type Image = { contentId: string; url: string };

export function EmailContent({ email }: { email: EmailDetail }) {
  if (!email.content)
    return (
      <Panel title="Content">
        <Text c="dimmed">
          {email.status === "failed"
            ? "The email was never sent, so its content wasn’t stored."
            : "Content and attachments are deleted three days after sending. The delivery history is kept."}
        </Text>
      </Panel>
    );
  const { html, text } = email.content;
  const tabs = [
    html !== null && { name: "Preview", panel: <EmailPreview email={email} html={html} /> },
    { name: "Text", panel: <TextPart text={text} /> },
    html !== null && { name: "HTML", panel: <CodeBlock code={html} label="HTML source" /> },
    {
      name: "Source",
      panel: <EmailSource emailId={email.id} isSent={email.messageId !== null} />,
    },
    { name: "Code", panel: <EmailCodeSamples email={email} content={email.content} /> },
  ].filter((tab) => tab !== false);
  return (
    <Panel title="Content">
      <Tabs defaultValue={tabs[0]!.name} keepMounted={false}>
        <Tabs.List mb="md" className={classes.tabs}>
          {tabs.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, panel }) => (
          <Tabs.Panel key={name} value={name}>
            {panel}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

function TextPart({ text }: { text: string | null }) {
  if (text === null)
    return (
      <Text c="dimmed">
        No text was provided. Posthouse generates a plain-text version from the HTML when sending.
      </Text>
    );
  if (text === "") return <Text c="dimmed">Sent without a plain-text version, as requested.</Text>;
  return <CodeBlock code={text} label="text" />;
}

/** The email as a recipient sees it, with its inline images. */
function EmailPreview({ email, html }: { email: EmailDetail; html: string }) {
  const shown = useMemo(() => inlineContentIds(html), [html]);
  const images = useQueries({
    queries: email.attachments
      .filter(({ contentId: id, size }) => shown.has(id ?? "") && size <= IMAGE_BYTES_MAX)
      .map((file) => imageQuery(email.id, file)),
    combine: byContentId,
  });
  return <HtmlPreview html={html} images={images} />;
}

const imageQuery = (emailId: string, { position, contentId: id, contentType: type }: File) => ({
  queryKey: ["emails", "getAttachment", emailId, position],
  async queryFn(): Promise<Image> {
    const { content } = await readAttachment(emailId, position);
    return { contentId: id ?? "", url: `data:${imageType(type)};base64,${content}` };
  },
  staleTime: Infinity,
});

/** Falls back to PNG, since browsers detect the actual format; never returns a type that isn't an image. */
const imageType = (type: string | null) =>
  /^image\/[\w.+-]+$/.test(type ?? "") ? type! : "image/png";

const byContentId = (results: { data?: Image | undefined }[]): Record<string, string> =>
  Object.fromEntries(results.flatMap(({ data }) => (data ? [[data.contentId, data.url]] : [])));

/** The message source, generated the same way as for sending. */
function EmailSource({ emailId, isSent }: { emailId: string; isSent: boolean }) {
  const source = useQuery(emailSourceQuery(emailId));
  return (
    <QueryView query={source} noun="the source" skeleton={<Skeleton height={320} />}>
      {({ message, size }) => (
        <>
          <Group justify="space-between" mb="xs" gap="xs">
            <Text size="sm" c="dimmed">
              {isSent
                ? "As sent, without the DKIM signature that is added at each attempt."
                : "As it will be sent. The date and Message-ID are set at sending."}
            </Text>
            <Button
              component="a"
              href={downloadUrl("emails.download", { params: { id: emailId } })}
              download
              variant="default"
              size="xs"
              leftSection={<IconDownload size={14} />}
            >
              Download .eml
            </Button>
          </Group>
          <CodeBlock code={message} label="message source" />
          {message.length < size && (
            <Text size="sm" c="dimmed" mt="xs">
              Showing the first {formatBytes(message.length)} of {formatBytes(size)}.
            </Text>
          )}
        </>
      )}
    </QueryView>
  );
}

/** Code that sends this email through the API, in several languages. */
function EmailCodeSamples({
  email,
  content,
}: {
  email: EmailDetail;
  content: NonNullable<EmailDetail["content"]>;
}) {
  const [language, setLanguage] = useState("curl");
  const code = CODE_SNIPPETS[language]!(window.location.origin, requestBody(email, content));
  return (
    <>
      <div className={classes.languages}>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={Object.keys(CODE_SNIPPETS)}
          value={language}
          onChange={setLanguage}
        />
      </div>
      <Text size="sm" c="dimmed" mb="xs">
        The code reads your API key from the <code>POSTHOUSE_API_KEY</code> environment variable.
        {email.attachments.length > 0 &&
          " Replace the attachment placeholders with base64-encoded files."}
      </Text>
      <CodeBlock code={code} label={`${language} code`} />
    </>
  );
}

export function EmailAttachments({ email }: { email: EmailDetail }) {
  if (email.attachments.length === 0) return null;
  return (
    <Panel title="Attachments">
      <ul className={classes.files}>
        {email.attachments.map((file) => (
          <li key={file.position}>
            <AttachmentRow emailId={email.id} file={file} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const nameOf = ({ filename, position }: File): string => filename ?? `attachment-${position + 1}`;

function AttachmentRow({ emailId, file }: { emailId: string; file: File }) {
  const name = nameOf(file);
  const facts = [
    formatBytes(file.size),
    file.contentType,
    file.contentId && `inline as cid:${file.contentId}`,
  ];
  return (
    <div className={classes.file}>
      <div className={classes.words}>
        {name}
        <Text size="sm" c="dimmed">
          {facts.filter(Boolean).join(", ")}
        </Text>
      </div>
      <Button
        component="a"
        href={downloadUrl("emails.downloadAttachment", {
          params: { id: emailId, position: String(file.position) },
        })}
        download
        variant="default"
        size="xs"
        leftSection={<IconDownload size={14} />}
        aria-label={`Download ${name}`}
      >
        Download
      </Button>
    </div>
  );
}
