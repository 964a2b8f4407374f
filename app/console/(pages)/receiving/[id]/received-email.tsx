"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { type AnswerOf, readUrl } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { CodeBlock, CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { formatBytes, formatDecimal } from "#app/console/ui/format.ts";
import { PrefetchLink } from "#app/console/ui/links.tsx";
import {
  AttachmentList,
  MessagePage,
  MessageTabs,
  MessageText,
} from "#app/console/ui/messages.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

type ReceivedDetail = AnswerOf<"received.get">;

export function ReceivedEmail({ id }: { id: string }) {
  // Never changes.
  const received = useRead("received.get", { params: { id } }, { refetchOnWindowFocus: false });
  return (
    <MessagePage
      query={received}
      list={{ label: "Receiving", href: "/console/receiving" }}
      noun="this email"
      head={({ isSpam }) => ({
        description: isSpam && <Status tone="failed" label="Spam" />,
        help: "receiving",
        action: (
          <Button
            component="a"
            href={readUrl("received.downloadSource", { params: { id } })}
            download
            variant="default"
            leftSection={<IconDownload size={16} />}
          >
            Download message
          </Button>
        ),
      })}
      side={(email) => <ReceivedFacts email={email} />}
    >
      {(email) => (
        <>
          {email.problem !== null && (
            <Panel title="Some of the content isn’t shown">
              <Text>{email.problem}. Download the message to read it.</Text>
            </Panel>
          )}
          <ReceivedContent email={email} />
          <AttachmentList
            files={email.files}
            factsOf={({ contentType }) => [contentType]}
            hrefOf={({ position }) =>
              readUrl("received.downloadFile", { params: { id, position: String(position) } })
            }
          />
        </>
      )}
    </MessagePage>
  );
}

function ReceivedFacts({ email }: { email: ReceivedDetail }) {
  const { from, sender, receivedFor, to, cc, messageId } = email;
  return (
    <Panel title="Details">
      <DescriptionList
        items={{
          From: from || "None",
          "Envelope sender": sender || "None (automatic message)",
          "Inbound address": receivedFor.join(", "),
          To: to.length > 0 && to.join(", "),
          Cc: cc.length > 0 && cc.join(", "),
          Received: <ExactTime at={email.createdAt} />,
          "In reply to": email.repliedEmailId !== null && (
            <Anchor component={PrefetchLink} href={`/console/emails/${email.repliedEmailId}`}>
              Sent email
            </Anchor>
          ),
          Authentication: describeChecks(email),
          "Spam score": email.spamScore !== null && formatDecimal(email.spamScore),
          Size: formatBytes(email.size),
          "Message-ID": messageId !== null && (
            <CopyableValue value={messageId} label="Message-ID" />
          ),
        }}
      />
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
  const lines = Object.entries(headers).map((header) => header.join(": "));
  return (
    <MessageTabs
      title="Message"
      open={hasText || html === null ? "Text" : "HTML"}
      parts={[
        {
          name: "Text",
          panel: hasText ? <MessageText text={text} /> : <Text c="dimmed">No text version.</Text>,
        },
        ...(html === null ? [] : [{ name: "HTML", panel: <HtmlPreview html={html} /> }]),
        { name: "Headers", panel: <CodeBlock code={lines.join("\n")} label="headers" /> },
      ]}
    />
  );
}
