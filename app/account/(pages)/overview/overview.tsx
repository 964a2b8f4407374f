"use client";

import { Anchor, Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import {
  type AccountRules,
  type MailboxUser,
  mailboxUserQuery,
  rulesQuery,
} from "#app/account/queries.ts";
import { vacationState } from "#app/account/vacation-state.ts";
import { CopyButton } from "#app/console/ui/code.tsx";
import { formatBytes, pluralize } from "#app/console/ui/format.ts";
import { DescriptionItem, DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./overview.module.css";

/** The page shows a warning from this share on. */
const NEARLY_FULL = 0.9;

type RuleSummary = { status: Parameters<typeof Status>[0]; summary: string };

const ON = { tone: "done", label: "On" } as const;
const OFF = { tone: "none", label: "Off" } as const;

export function AccountOverview() {
  const me = useQuery(mailboxUserQuery);
  const rules = useQuery(rulesQuery);
  return (
    <>
      <PageHeader
        title="Overview"
        action={
          <Button component={Link} href="/account/set-up">
            Set up a mail app
          </Button>
        }
      />
      <Stack gap="md">
        <Panel title="Your mailbox">
          <QueryView query={me} noun="your mailbox" skeleton={<Skeleton height={150} />}>
            {(me) => (
              <Stack gap="lg">
                <DescriptionList>
                  <DescriptionItem label="Address">
                    {me.address} <CopyButton value={me.address} label="address" />
                  </DescriptionItem>
                  {me.aliases.length > 0 && (
                    <DescriptionItem label="Aliases">{me.aliases.join(", ")}</DescriptionItem>
                  )}
                </DescriptionList>
                <Storage me={me} />
              </Stack>
            )}
          </QueryView>
        </Panel>
        <Panel title="Incoming mail">
          <QueryView query={rules} noun="your rules" skeleton={<Skeleton height={140} />}>
            {(rules) => <ArrivingMail rules={rules} />}
          </QueryView>
        </Panel>
      </Stack>
    </>
  );
}

function ArrivingMail({ rules }: { rules: AccountRules }) {
  const entries = [
    { title: "Filters", href: "/account/filters", ...summarizeFilters(rules) },
    { title: "Forwarding", href: "/account/forwarding", ...summarizeForwarding(rules) },
    { title: "Automatic replies", href: "/account/vacation", ...summarizeVacation(rules) },
  ];
  return (
    <ItemList label="Incoming mail">
      {entries.map(({ title, href, status, summary }) => (
        <ItemRow
          key={href}
          title={title}
          actions={
            <>
              <Status {...status} />
              <Anchor component={Link} href={href} size="sm" aria-label={`Change: ${title}`}>
                Change
              </Anchor>
            </>
          }
        >
          {summary}
        </ItemRow>
      ))}
    </ItemList>
  );
}

function summarizeFilters({ filters }: AccountRules): RuleSummary {
  const on = filters.filter(({ isOn }) => isOn).length;
  const off = filters.length - on;
  const rest = off > 0 ? `, ${off} off` : "";
  return {
    status: on > 0 ? ON : OFF,
    summary: filters.length === 0 ? "No filters" : `${on} on${rest}`,
  };
}

function summarizeForwarding(rules: AccountRules): RuleSummary {
  const { forwardTo, keepCopy: keepsCopy, suspendedForwards: suspended } = rules;
  if (forwardTo.length === 0) return { status: OFF, summary: "No forwarding addresses" };
  const copy = keepsCopy ? "keeping a copy" : "without keeping a copy";
  const exceptions = suspended.map(({ address }) => ` Forwarding to ${address} is suspended.`);
  return {
    status: suspended.length < forwardTo.length ? ON : OFF,
    summary: `To ${forwardTo.join(", ")}, ${copy}${exceptions.length > 0 ? "." : ""}${exceptions.join("")}`,
  };
}

function summarizeVacation({ vacation }: AccountRules): RuleSummary {
  const { text, ...status } = vacationState(vacation, new Date());
  return { status, summary: text };
}

function Storage({ me }: { me: MailboxUser }) {
  const { usedBytes: used, quotaBytes: quota, messages } = me;
  const share = Math.min(1, used / quota);
  return (
    <div>
      <div
        className={classes.bar}
        role="meter"
        aria-label="Storage used"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <div
          className={classes.used}
          data-nearly-full={share >= NEARLY_FULL || undefined}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <Text size="sm" mt={6}>
        {formatBytes(used)} of {formatBytes(quota)} used, {pluralize(messages, "message")}
      </Text>
      {share >= NEARLY_FULL && (
        <Text size="sm" c="dimmed">
          {share >= 1
            ? "Your mailbox is full. Senders’ servers retry new mail for a few days, then return it. Free up space to receive it."
            : "Your mailbox is nearly full. Delete mail you no longer need, or ask an admin for more storage."}
        </Text>
      )}
    </div>
  );
}
