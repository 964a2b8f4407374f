"use client";

import { Anchor, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { mailboxStatus } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import { type MailboxDetail, mailboxQuery } from "#app/console/(pages)/mailboxes/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";

import { DeleteMailbox } from "./delete-mailbox.tsx";
import { MailAppSetup } from "./mail-app-setup.tsx";
import { MailboxAccess } from "./mailbox-access.tsx";
import { MailboxAliases } from "./mailbox-aliases.tsx";
import classes from "./mailbox-details.module.css";
import { MailboxFacts } from "./mailbox-facts.tsx";
import { MailboxHost } from "./mailbox-host.tsx";
import { MailboxSettingsForm } from "./mailbox-settings-form.tsx";
import { MailboxSkeleton } from "./mailbox-skeleton.tsx";
import { MailboxPolicies, MailboxRules } from "./rules-and-policies.tsx";
import { SuspendMailbox } from "./suspend-mailbox.tsx";

export function MailboxDetails({ address }: { address: string }) {
  const mailbox = useQuery(mailboxQuery(address));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: "/console/mailboxes" }]} />
      <QueryView query={mailbox} noun="this mailbox" skeleton={<MailboxSkeleton />} titleOrder={1}>
        {(mailbox) => (
          <>
            <PageHeader
              documentTitle={`${mailbox.id} · Mailboxes`}
              title={mailbox.id}
              description={
                <>
                  {mailbox.name} · <Status {...mailboxStatus(mailbox)} />
                </>
              }
              help="mailboxes"
            />
            <Stack gap="md">
              {mailbox.sendingHeld && <OnHoldNotice mayDecide={mailbox.may.reset_password} />}
              <MailboxTabs mailbox={mailbox} />
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

const TABS = { overview: "Overview", access: "Access", apps: "Mail apps" };

function MailboxTabs({ mailbox }: { mailbox: MailboxDetail }) {
  const { isOwner } = usePrivileges();
  const hasSettings = isOwner || mailbox.may.update || mailbox.may.suspend;
  const labels = { ...TABS, ...(hasSettings && { settings: "Settings" }) };
  return (
    <UrlTabs labels={labels}>
      <Tabs.Panel value="overview">
        <div className={classes.overview}>
          <Stack gap="md">
            <MailboxFacts mailbox={mailbox} />
            <MailboxRules mailbox={mailbox} />
            <MailboxHost address={mailbox.id} />
          </Stack>
          <Stack gap="md">
            <MailboxAliases mailbox={mailbox} />
            <MailboxPolicies mailbox={mailbox} />
          </Stack>
        </div>
      </Tabs.Panel>
      <Tabs.Panel value="access">
        <MailboxAccess mailbox={mailbox} />
      </Tabs.Panel>
      <Tabs.Panel value="apps">
        <MailAppSetup mailbox={mailbox} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <Stack gap="md">
          {mailbox.may.update && <MailboxSettingsForm mailbox={mailbox} />}
          {mailbox.may.suspend && <SuspendMailbox mailbox={mailbox} />}
          {isOwner && <DeleteMailbox mailbox={mailbox} />}
        </Stack>
      </Tabs.Panel>
    </UrlTabs>
  );
}

function OnHoldNotice({ mayDecide }: { mayDecide: boolean }) {
  return (
    <Panel title="Outgoing mail is on hold">
      <Text>
        This mailbox suddenly sent to many new recipients from a new network. Its password may have
        been stolen.{" "}
        {mayDecide ? (
          <>
            Review its{" "}
            <Anchor component={Link} href="/console/on-hold" underline="always">
              mail on hold
            </Anchor>{" "}
            and release it, or secure the mailbox.
          </>
        ) : (
          "An admin who can reset passwords can release it."
        )}
      </Text>
    </Panel>
  );
}
