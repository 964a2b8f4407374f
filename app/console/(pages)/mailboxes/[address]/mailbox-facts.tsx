"use client";

import { Anchor } from "@mantine/core";
import Link from "next/link";
import { Fragment } from "react";

import { groupUrl } from "#app/console/(pages)/groups/group-labels.ts";
import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { UsageBar } from "#app/console/(pages)/mailboxes/usage-bar.tsx";
import { useRights } from "#app/console/rights.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function MailboxFacts({ mailbox }: { mailbox: MailboxDetail }) {
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Address">
          <Mono value={mailbox.id} what="address" />
        </Fact>
        <Fact name="Storage">
          <UsageBar of={mailbox} />
        </Fact>
        <Fact name="Messages">{mailbox.messages.toLocaleString("en")}</Fact>
        <Fact name="Unit">
          <Anchor component={Link} href={`/console/units?unit=${mailbox.org_unit.id}`}>
            {mailbox.org_unit.name}
          </Anchor>
        </Fact>
        <Fact name="Groups">
          <GroupsOf mailbox={mailbox} />
        </Fact>
        <Fact name="Last sign-in">
          {mailbox.last_sign_in_at === null ? (
            "No mail app has signed in yet"
          ) : (
            <ExactMoment at={mailbox.last_sign_in_at} />
          )}
        </Fact>
        <Fact name="Created">
          <ExactMoment at={mailbox.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

/** The groups that it is a member of, with the way there for who may look at them. */
function GroupsOf({ mailbox: { groups } }: { mailbox: MailboxDetail }) {
  const mayView = useRights().has("view_groups");
  if (groups.length === 0) return "In none";
  if (!mayView) return groups.join(", ");
  return groups.map((group, index) => (
    <Fragment key={group}>
      {index > 0 && ", "}
      <Anchor component={Link} href={groupUrl(group)}>
        {group}
      </Anchor>
    </Fragment>
  ));
}
