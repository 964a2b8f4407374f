"use client";

import { Box, Button, Group, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import {
  type Decision,
  DecisionDialog,
  reasons,
  verbFor,
} from "#app/console/(pages)/quarantine/decision-dialog.tsx";
import { describeFinding } from "#app/console/(pages)/quarantine/describe-finding.ts";
import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { CodeBlock, CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { formatBytes, formatDecimal } from "#app/console/ui/format.ts";
import { MessagePage, MessageTabs, MessageText } from "#app/console/ui/messages.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

type QuarantineDetail = AnswerOf<"quarantine.get">;

export function QuarantinedMessage({ id }: { id: string }) {
  // Not refetched: the content never changes, and releasing or deleting a message that is gone shows an error.
  const held = useRead("quarantine.get", { params: { id } }, { refetchOnWindowFocus: false });
  return (
    <MessagePage
      query={held}
      list={{ label: "Quarantine", href: "/console/quarantine" }}
      noun="this message"
      head={(message) => ({
        description: <Status {...reasons[message.reason]} />,
        help: message.reason === "moderation" ? "groups" : "spam",
        action: <DecisionButtons message={message} />,
      })}
      side={(message) => <QuarantinedFacts message={message} />}
    >
      {(message) => (
        <>
          <QuarantineReason message={message} />
          <QuarantinedContent message={message} />
        </>
      )}
    </MessagePage>
  );
}

/** The reason, and the findings behind it, strongest first. */
function QuarantineReason({ message: { reason, score, findings } }: { message: QuarantineDetail }) {
  const described = findings.map((finding) => ({ finding, text: describeFinding(finding) }));
  const isSymbol = (finding: string) => /^[A-Z0-9_]+$/.test(finding);
  return (
    <Panel title="Reason">
      <Text>
        {reasons[reason].sentence}
        {score !== null && ` rspamd score: ${formatDecimal(score)}.`}
      </Text>
      {described.length > 0 && (
        <Box mt="sm">
          <ItemList label="Findings">
            {described.map(({ finding, text }) => (
              <ItemRow key={finding} title={text ?? "Other rspamd rule"}>
                {isSymbol(finding) && <code>{finding}</code>}
              </ItemRow>
            ))}
          </ItemList>
        </Box>
      )}
    </Panel>
  );
}

function DecisionButtons({ message }: { message: QuarantineDetail }) {
  const router = useRouter();
  const [asked, setAsked] = useState<Decision | null>(null);
  // Deleting is the primary action for a virus.
  const isVirus = message.reason === "virus";
  return (
    <Group gap="xs">
      {(isVirus ? (["release", "delete"] as const) : (["delete", "release"] as const)).map(
        (decision, at) => (
          <Button
            key={decision}
            {...(at === 0 && { variant: "default" })}
            onClick={() => setAsked(decision)}
          >
            {verbFor(decision, message.reason)}
          </Button>
        ),
      )}
      <DecisionDialog
        messages={[message]}
        decision={asked}
        onClose={() => setAsked(null)}
        onDone={() => router.push("/console/quarantine")}
      />
    </Group>
  );
}

function QuarantinedFacts({ message }: { message: QuarantineDetail }) {
  const { from, sender, recipients, clientAddress, createdAt, size, attachments } = message;
  return (
    <Panel title="Details">
      <DescriptionList
        items={{
          From: from || "None",
          "Envelope sender": sender || "None (automatic message)",
          To: recipients.join(", "),
          "Sending server": clientAddress !== null && (
            <CopyableValue value={clientAddress} label="IP address" />
          ),
          Quarantined: <ExactTime at={createdAt} />,
          Size: formatBytes(size),
          Attachments:
            attachments.length > 0 &&
            attachments.map(({ name, type, size }, at) => (
              <div key={at}>
                {name || "Unnamed file"} ({type}, {formatBytes(size)})
              </div>
            )),
        }}
      />
    </Panel>
  );
}

/** Plain text only, so that nothing in the message is loaded, run, or linked. */
function QuarantinedContent({ message }: { message: QuarantineDetail }) {
  const note = (text: string) => (
    <Text size="sm" c="dimmed" mb="xs">
      {text}
    </Text>
  );
  return (
    <MessageTabs
      title="Message"
      parts={[
        {
          name: "Text",
          panel: (
            <>
              {message.isFromHtml &&
                note("HTML message, shown as plain text. Text hidden in the HTML is included.")}
              {message.text === "" ? (
                <Text c="dimmed">No text.</Text>
              ) : (
                <MessageText text={message.text} />
              )}
            </>
          ),
        },
        {
          name: "Source",
          panel: (
            <>
              {message.isCut && note("Only the beginning of the source is shown.")}
              <CodeBlock code={message.source} label="message source" />
            </>
          ),
        },
      ]}
    />
  );
}
