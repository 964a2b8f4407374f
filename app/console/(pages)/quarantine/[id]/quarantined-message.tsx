"use client";

import { Button, Group, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";

import {
  DecisionDialog,
  reasons,
  verbFor,
} from "#app/console/(pages)/quarantine/decision-dialog.tsx";
import { describeFinding } from "#app/console/(pages)/quarantine/describe-finding.ts";
import classes from "#app/console/(pages)/quarantine/quarantine.module.css";
import {
  type Decision,
  type QuarantineDetail,
  quarantinedMessageQuery,
} from "#app/console/(pages)/quarantine/queries.ts";
import { CodeBlock, CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { formatBytes, formatDecimal } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

export function QuarantinedMessage({ id }: { id: string }) {
  const held = useQuery(quarantinedMessageQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Quarantine", href: "/console/quarantine" }]} />
      <QueryView
        query={held}
        noun="this message"
        skeleton={<QuarantinedMessageSkeleton />}
        titleOrder={1}
      >
        {(message) => (
          <>
            <PageHeader
              title={message.subject || "(no subject)"}
              description={<Status {...reasons[message.reason]} />}
              help={message.reason === "moderation" ? "groups" : "spam"}
              action={<DecisionButtons message={message} />}
            />
            <SideBySide side={<QuarantinedFacts message={message} />}>
              <Stack gap="md">
                <QuarantineReason message={message} />
                <QuarantinedContent message={message} />
              </Stack>
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

function QuarantinedMessageSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <Panel>
        <SkeletonLines count={9} />
      </Panel>
    </>
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
        <ul className={classes.findings}>
          {described.map(({ finding, text }) => (
            <li key={finding} className={classes.finding}>
              <span>{text ?? "Other rspamd rule"}</span>
              {isSymbol(finding) && <code className={classes.symbol}>{finding}</code>}
            </li>
          ))}
        </ul>
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
      <DescriptionList>
        <DescriptionItem label="From">{from || "None"}</DescriptionItem>
        <DescriptionItem label="Envelope sender">
          {sender || "None (automatic message)"}
        </DescriptionItem>
        <DescriptionItem label="To">{recipients.join(", ")}</DescriptionItem>
        {clientAddress !== null && (
          <DescriptionItem label="Sending server">
            <CopyableValue value={clientAddress} label="IP address" />
          </DescriptionItem>
        )}
        <DescriptionItem label="Quarantined">
          <ExactTime at={createdAt} />
        </DescriptionItem>
        <DescriptionItem label="Size">{formatBytes(size)}</DescriptionItem>
        {attachments.length > 0 && (
          <DescriptionItem label="Attachments">
            {attachments.map(({ name, type, size }, at) => (
              <div key={at}>
                {name || "Unnamed file"} ({type}, {formatBytes(size)})
              </div>
            ))}
          </DescriptionItem>
        )}
      </DescriptionList>
    </Panel>
  );
}

/** Plain text only, so that nothing in the message is loaded, run, or linked. */
function QuarantinedContent({ message }: { message: QuarantineDetail }) {
  return (
    <Panel title="Message">
      <Tabs defaultValue="text">
        <Tabs.List mb="sm">
          <Tabs.Tab value="text">Text</Tabs.Tab>
          <Tabs.Tab value="source">Source</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="text">
          {message.isFromHtml && (
            <Text size="sm" c="dimmed" mb="xs">
              HTML message, shown as plain text. Text hidden in the HTML is included.
            </Text>
          )}
          {message.text === "" ? (
            <Text c="dimmed">No text.</Text>
          ) : (
            <div className={classes.text} tabIndex={0} role="region" aria-label="Text">
              {message.text}
            </div>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="source">
          {message.isCut && (
            <Text size="sm" c="dimmed" mb="xs">
              Only the beginning of the source is shown.
            </Text>
          )}
          <CodeBlock code={message.source} label="message source" />
        </Tabs.Panel>
      </Tabs>
    </Panel>
  );
}
