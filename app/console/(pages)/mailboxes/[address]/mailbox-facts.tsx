"use client";

import { Anchor } from "@mantine/core";
import Link from "next/link";
import { Fragment } from "react";

import { groupUrl } from "#app/console/(pages)/groups/group-labels.ts";
import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { UsageBar } from "#app/console/(pages)/mailboxes/usage-bar.tsx";
import { usePrivileges } from "#app/console/session.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function MailboxFacts({ mailbox }: { mailbox: MailboxDetail }) {
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="Address">
          <CopyableValue value={mailbox.id} label="address" />
        </DescriptionItem>
        <DescriptionItem label="Storage">
          <UsageBar of={mailbox} />
        </DescriptionItem>
        <DescriptionItem label="Messages">{formatCount(mailbox.messages)}</DescriptionItem>
        <DescriptionItem label="Unit">
          <Anchor component={Link} href={`/console/units?unit=${mailbox.orgUnit.id}`}>
            {mailbox.orgUnit.name}
          </Anchor>
        </DescriptionItem>
        <DescriptionItem label="Groups">
          <GroupLinks mailbox={mailbox} />
        </DescriptionItem>
        <DescriptionItem label="Last sign-in">
          {mailbox.lastSignInAt === null ? "Never" : <ExactTime at={mailbox.lastSignInAt} />}
        </DescriptionItem>
        <DescriptionItem label="Created">
          <ExactTime at={mailbox.createdAt} />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

/** Linked for admins who can view groups. */
function GroupLinks({ mailbox: { groups } }: { mailbox: MailboxDetail }) {
  const mayView = usePrivileges().has("view_groups");
  if (groups.length === 0) return "None";
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
