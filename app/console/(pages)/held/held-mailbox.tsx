"use client";

import { Anchor, Text, Title } from "@mantine/core";
import Link from "next/link";

import { useRights } from "#app/console/rights.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment, RelativeMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { Acts } from "./acts.tsx";
import classes from "./held-mailbox.module.css";
import { counted } from "./held-words.ts";
import type { HeldMailbox } from "./queries.ts";

/** One mailbox whose sending is held: the facts to decide by, a sample, and the two ways out. */
export function HeldMailboxPanel({
  held,
  onContained,
}: {
  held: HeldMailbox;
  onContained: (temporaryPassword: string) => void;
}) {
  const mayView = useRights().has("view_users");
  const { mailbox, name, messages, recipients, client_addresses: from } = held;
  return (
    <Panel title={mailbox} aside={<Status meaning="waiting" word="Held" />}>
      <Facts>
        <Fact name="Person">
          {mayView ? (
            <Anchor component={Link} href={`/console/mailboxes/${encodeURIComponent(mailbox)}`}>
              {name}
            </Anchor>
          ) : (
            name
          )}
        </Fact>
        <Fact name="Held since">
          <ExactMoment at={held.since} />
        </Fact>
        <Fact name="Waiting">
          {counted(messages, "message")} to {counted(recipients, "recipient")}
        </Fact>
        <Fact name="Sent from">
          {from.length > 0 ? (
            <span className={classes.addresses}>{from.join(", ")}</span>
          ) : (
            "No address was kept"
          )}
        </Fact>
      </Facts>
      {held.sample.length > 0 && <Sample held={held} />}
      <Acts held={held} onContained={onContained} />
    </Panel>
  );
}

function Sample({ held: { sample, messages } }: { held: HeldMailbox }) {
  return (
    <>
      <Title order={3} className={classes.title}>
        {messages > sample.length ? "The newest messages" : "The messages"}
      </Title>
      <ul className={classes.sample}>
        {sample.map(({ subject, recipients, more, sent_at }, index) => (
          <li key={index} className={classes.message}>
            <span className={classes.subject}>{subject || "(no subject)"}</span>
            <Text component="span" size="sm" c="dimmed" className={classes.recipients}>
              {recipients.join(", ")}
              {more > 0 && ` and ${counted(more, "other")}`}
            </Text>
            <Text component="span" size="sm" c="dimmed" className={classes.moment}>
              <RelativeMoment at={sent_at} />
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}
