"use client";

import { Anchor, Text, Title } from "@mantine/core";
import Link from "next/link";

import { usePrivileges } from "#app/console/privileges.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { ReleaseOrContain } from "./release-or-contain.tsx";
import classes from "./mailbox-on-hold.module.css";
import { pluralize } from "#app/console/ui/format.ts";
import type { MailboxOnHold } from "./queries.ts";

export function MailboxOnHoldPanel({
  held,
  onContained,
}: {
  held: MailboxOnHold;
  onContained: (temporaryPassword: string) => void;
}) {
  const mayView = usePrivileges().has("view_users");
  const { mailbox, name, messages, recipients, clientAddresses: from } = held;
  return (
    <Panel title={mailbox} aside={<Status tone="waiting" label="On hold" />}>
      <DescriptionList>
        <DescriptionItem label="Mailbox user">
          {mayView ? (
            <Anchor component={Link} href={`/console/mailboxes/${encodeURIComponent(mailbox)}`}>
              {name}
            </Anchor>
          ) : (
            name
          )}
        </DescriptionItem>
        <DescriptionItem label="On hold since">
          <ExactTime at={held.since} />
        </DescriptionItem>
        <DescriptionItem label="Messages on hold">
          {pluralize(messages, "message")} to {pluralize(recipients, "recipient")}
        </DescriptionItem>
        <DescriptionItem label="Sent from">
          {from.length > 0 ? (
            <span className={classes.addresses}>{from.join(", ")}</span>
          ) : (
            "Not recorded"
          )}
        </DescriptionItem>
      </DescriptionList>
      {held.sample.length > 0 && <MessageSample held={held} />}
      <ReleaseOrContain held={held} onContained={onContained} />
    </Panel>
  );
}

function MessageSample({ held: { sample, messages } }: { held: MailboxOnHold }) {
  return (
    <>
      <Title order={3} className={classes.title}>
        {messages > sample.length ? "Latest messages" : "Messages"}
      </Title>
      <ul className={classes.sample}>
        {sample.map(({ subject, recipients, more, sentAt }, index) => (
          <li key={index} className={classes.message}>
            <span className={classes.subject}>{subject || "(no subject)"}</span>
            <Text component="span" size="sm" c="dimmed" className={classes.recipients}>
              {recipients.join(", ")}
              {more > 0 && ` and ${pluralize(more, "other")}`}
            </Text>
            <Text component="span" size="sm" c="dimmed" className={classes.moment}>
              <RelativeTime at={sentAt} />
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}
