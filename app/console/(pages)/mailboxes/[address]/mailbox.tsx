"use client";

import { Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { stateOf } from "#app/console/(pages)/mailboxes/mailbox-words.ts";
import { type MailboxDetail, mailboxQuery } from "#app/console/(pages)/mailboxes/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";
import { Status } from "#app/console/ui/status.tsx";

import { Access } from "./access.tsx";
import { Aliases } from "./aliases.tsx";
import { DeleteMailbox } from "./delete-mailbox.tsx";
import classes from "./mailbox.module.css";
import { HeldNotice } from "./held-notice.tsx";
import { PoliciesOf, Rules } from "./in-force.tsx";
import { MailApps } from "./mail-apps.tsx";
import { MailboxFacts } from "./mailbox-facts.tsx";
import { MailboxSkeleton } from "./mailbox-skeleton.tsx";
import { Settings } from "./settings.tsx";
import { Suspension } from "./suspension.tsx";

export function Mailbox({ address }: { address: string }) {
  const mailbox = useQuery(mailboxQuery(address));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: "/console/mailboxes" }]} />
      <QueryView query={mailbox} noun="this mailbox" skeleton={<MailboxSkeleton />} titleOrder={1}>
        {(mailbox) => (
          <>
            <PageHeader
              title={mailbox.id}
              description={
                <>
                  {mailbox.name} · <Status {...stateOf(mailbox)} />
                </>
              }
              help="mailboxes"
            />
            <Stack gap="md">
              {mailbox.sending_held && <HeldNotice mayDecide={mailbox.may.reset_password} />}
              <Sections mailbox={mailbox} />
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

const TABS = { overview: "Overview", access: "Access", apps: "Mail apps", settings: "Settings" };

/** The sections of a mailbox; the open one is in the URL. */
function Sections({ mailbox }: { mailbox: MailboxDetail }) {
  const asked = useSearchParams().get("tab");
  const { isOwner } = useRights();
  const hasSettings = isOwner || mailbox.may.update || mailbox.may.suspend;
  const offered = Object.entries(TABS).filter(([name]) => name !== "settings" || hasSettings);
  const tab = offered.find(([name]) => name === asked)?.[0] ?? "overview";
  return (
    <Tabs
      value={tab}
      onChange={(next) => replaceSearch(next === "overview" ? "?" : `?tab=${next}`)}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {offered.map(([name, label]) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="overview">
        <div className={classes.overview}>
          <Stack gap="md">
            <MailboxFacts mailbox={mailbox} />
            <Rules mailbox={mailbox} />
          </Stack>
          <Stack gap="md">
            <Aliases mailbox={mailbox} />
            <PoliciesOf mailbox={mailbox} />
          </Stack>
        </div>
      </Tabs.Panel>
      <Tabs.Panel value="access">
        <Access mailbox={mailbox} />
      </Tabs.Panel>
      <Tabs.Panel value="apps">
        <MailApps mailbox={mailbox} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <Stack gap="md">
          {mailbox.may.update && <Settings mailbox={mailbox} />}
          {mailbox.may.suspend && <Suspension mailbox={mailbox} />}
          {isOwner && <DeleteMailbox mailbox={mailbox} />}
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}
