"use client";

import { Anchor, Button, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { type ReceivedDetail, receivedQuery } from "#app/console/(pages)/receiving/queries.ts";
import { downloadUrl } from "#app/console/console-client.ts";
import { CodeBlock, CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { formatBytes, formatDecimal } from "#app/console/ui/format.ts";
import { PrefetchLink } from "#app/console/ui/links.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

import classes from "./received-content.module.css";

export function ReceivedEmail({ id }: { id: string }) {
  const received = useQuery(receivedQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Receiving", href: "/console/receiving" }]} />
      <QueryView
        query={received}
        noun="this email"
        skeleton={<ReceivedEmailSkeleton />}
        titleOrder={1}
      >
        {(email) => (
          <>
            <PageHeader
              title={email.subject || "(no subject)"}
              description={email.isSpam && <Status tone="failed" label="Spam" />}
              help="receiving"
              action={
                <Button
                  component="a"
                  href={downloadUrl("received.downloadSource", { params: { id: email.id } })}
                  download
                  variant="default"
                  leftSection={<IconDownload size={16} />}
                >
                  Download message
                </Button>
              }
            />
            <SideBySide side={<ReceivedFacts email={email} />}>
              <Stack gap="md">
                {email.problem !== null && (
                  <Panel title="Some of the content isn’t shown">
                    <Text>{email.problem}. Download the message to read it.</Text>
                  </Panel>
                )}
                <ReceivedContent email={email} />
                <ReceivedFiles email={email} />
              </Stack>
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

function ReceivedEmailSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={32} />
      <Panel>
        <SkeletonLines count={9} />
      </Panel>
    </>
  );
}

function ReceivedFiles({ email }: { email: ReceivedDetail }) {
  if (email.files.length === 0) return null;
  return (
    <Panel title="Attachments">
      <ItemList label="Attachments">
        {email.files.map(({ position, filename, contentType: type, size }) => {
          const name = filename ?? `attachment-${position + 1}`;
          return (
            <ItemRow
              key={position}
              title={name}
              actions={
                <Button
                  component="a"
                  href={downloadUrl("received.downloadFile", {
                    params: { id: email.id, position: String(position) },
                  })}
                  download
                  variant="default"
                  size="xs"
                  leftSection={<IconDownload size={14} />}
                  aria-label={`Download ${name}`}
                >
                  Download
                </Button>
              }
            >
              {formatBytes(size)}, {type}
            </ItemRow>
          );
        })}
      </ItemList>
    </Panel>
  );
}

function ReceivedFacts({ email }: { email: ReceivedDetail }) {
  const { from, sender, receivedFor, to, cc, messageId } = email;
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="From">{from || "None"}</DescriptionItem>
        <DescriptionItem label="Envelope sender">
          {sender || "None (automatic message)"}
        </DescriptionItem>
        <DescriptionItem label="Inbound address">{receivedFor.join(", ")}</DescriptionItem>
        {to.length > 0 && <DescriptionItem label="To">{to.join(", ")}</DescriptionItem>}
        {cc.length > 0 && <DescriptionItem label="Cc">{cc.join(", ")}</DescriptionItem>}
        <DescriptionItem label="Received">
          <ExactTime at={email.createdAt} />
        </DescriptionItem>
        {email.repliedEmailId !== null && (
          <DescriptionItem label="In reply to">
            <Anchor component={PrefetchLink} href={`/console/emails/${email.repliedEmailId}`}>
              Sent email
            </Anchor>
          </DescriptionItem>
        )}
        <DescriptionItem label="Authentication">{describeChecks(email)}</DescriptionItem>
        {email.spamScore !== null && (
          <DescriptionItem label="Spam score">{formatDecimal(email.spamScore)}</DescriptionItem>
        )}
        <DescriptionItem label="Size">{formatBytes(email.size)}</DescriptionItem>
        {messageId !== null && (
          <DescriptionItem label="Message-ID">
            <CopyableValue value={messageId} label="Message-ID" />
          </DescriptionItem>
        )}
      </DescriptionList>
    </Panel>
  );
}

/** "SPF pass, DKIM none, DMARC fail" */
function describeChecks({ spf, dkim, dmarc }: ReceivedDetail): string {
  const results = [
    ["SPF", spf],
    ["DKIM", dkim],
    ["DMARC", dmarc],
  ].flatMap(([name, result]) => (result === null ? [] : [`${name} ${result}`]));
  return results.join(", ") || "Not checked: sent from this server";
}

/** The text first: it loads, runs and links nothing. The HTML is in a frame without scripts. */
function ReceivedContent({ email: { text, html, headers } }: { email: ReceivedDetail }) {
  const hasText = text !== null && text.trim() !== "";
  return (
    <Panel title="Message">
      <Tabs defaultValue={hasText || html === null ? "text" : "html"}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="text">Text</Tabs.Tab>
          {html !== null && <Tabs.Tab value="html">HTML</Tabs.Tab>}
          <Tabs.Tab value="headers">Headers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="text">
          {hasText ? (
            <div className={classes.text} tabIndex={0} role="region" aria-label="Text">
              {text}
            </div>
          ) : (
            <Text c="dimmed">No text version.</Text>
          )}
        </Tabs.Panel>
        {html !== null && (
          <Tabs.Panel value="html">
            <HtmlPreview html={html} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="headers">
          <CodeBlock
            code={Object.entries(headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join("\n")}
            label="headers"
          />
        </Tabs.Panel>
      </Tabs>
    </Panel>
  );
}
