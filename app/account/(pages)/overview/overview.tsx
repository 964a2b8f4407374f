"use client";

import { Anchor, Button, Group, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { WEBMAIL } from "#app/account/account-page.ts";
import {
  type AccountRules,
  type MailboxUser,
  mailboxUserQuery,
  rulesQuery,
  useSetLanguage,
} from "#app/account/queries.ts";
import { useVacationState } from "#app/account/vacation-state.ts";
import { CopyButton } from "#app/console/ui/code.tsx";
import { formatBytes, languageName } from "#app/console/ui/format.ts";
import { DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { type GetText, useTexts } from "#app/console/ui/texts.tsx";

import classes from "./overview.module.css";

/** The page shows a warning from this share on. */
const NEARLY_FULL = 0.9;

type RuleSummary = { status: Parameters<typeof Status>[0]; summary: string };

const statusOf = (isOn: boolean, text: GetText): RuleSummary["status"] =>
  isOn ? { tone: "done", label: text("on") } : { tone: "none", label: text("off") };

export function AccountOverview() {
  const text = useTexts();
  const me = useQuery(mailboxUserQuery);
  const rules = useQuery(rulesQuery);
  return (
    <>
      <PageHeader
        title={text("overview")}
        action={
          <Group>
            <Button
              component={Link}
              href="/account/set-up"
              {...(me.data?.hasWebmail && { variant: "default" })}
            >
              {text("overview.setUp")}
            </Button>
            {me.data?.hasWebmail && (
              <Button component="a" href={WEBMAIL}>
                {text("webmail.open")}
              </Button>
            )}
          </Group>
        }
      />
      <Stack gap="md">
        <Panel title={text("signIn.title")}>
          <QueryView query={me} noun={text("noun.mailbox")} skeleton={<Skeleton height={150} />}>
            {(me) => (
              <Stack gap="lg">
                <DescriptionList
                  items={{
                    [text("address")]: (
                      <>
                        {me.address}{" "}
                        <CopyButton value={me.address} label={text("overview.address.copied")} />
                      </>
                    ),
                    [text("overview.aliases")]: me.aliases.length > 0 && me.aliases.join(", "),
                  }}
                />
                <Storage me={me} />
              </Stack>
            )}
          </QueryView>
        </Panel>
        <Panel title={text("incoming")}>
          <QueryView query={rules} noun={text("noun.rules")} skeleton={<Skeleton height={140} />}>
            {(rules) => <ArrivingMail rules={rules} />}
          </QueryView>
        </Panel>
        {me.data && (
          <Panel title={text("language")}>
            <LanguageSelect me={me.data} />
          </Panel>
        )}
      </Stack>
    </>
  );
}

function LanguageSelect({ me: { language, languages } }: { me: MailboxUser }) {
  const text = useTexts();
  const choose = useSetLanguage();
  const shown = choose.isPending ? choose.variables : language;
  return (
    <NativeSelect
      maw={400}
      size="md"
      aria-label={text("language")}
      description={text("language.text")}
      data={[
        { value: "", label: text("language.browser") },
        ...languages.map((value) => ({ value, label: languageName(value) })),
      ]}
      value={shown ?? ""}
      onChange={({ currentTarget: { value } }) =>
        choose.start(languages.find((each) => each === value) ?? null)
      }
    />
  );
}

function ArrivingMail({ rules }: { rules: AccountRules }) {
  const text = useTexts();
  const { text: vacation, ...status } = useVacationState(rules.vacation, text);
  const entries = [
    { id: "filters", ...summarizeFilters(rules, text) },
    { id: "forwarding", ...summarizeForwarding(rules, text) },
    { id: "vacation", status, summary: vacation },
  ] as const;
  return (
    <ItemList label={text("incoming")}>
      {entries.map(({ id, status, summary }) => (
        <ItemRow
          key={id}
          title={text(id)}
          actions={
            <>
              <Status {...status} />
              <Anchor
                component={Link}
                href={`/account/${id}`}
                size="sm"
                aria-label={text("overview.change.name", { title: text(id) })}
              >
                {text("overview.change")}
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

function summarizeFilters({ filters }: AccountRules, text: GetText): RuleSummary {
  const on = filters.filter(({ isOn }) => isOn).length;
  const off = filters.length - on;
  const summary =
    off > 0
      ? text("overview.filters.mixed", { on, off })
      : on > 0
        ? text("overview.filters.on", { on })
        : text("overview.filters.none");
  return { status: statusOf(on > 0, text), summary };
}

function summarizeForwarding(rules: AccountRules, text: GetText): RuleSummary {
  const { forwardTo, keepCopy: keepsCopy } = rules;
  const unconfirmed = rules.unconfirmedForwards.filter(({ address }) =>
    forwardTo.some((each) => each.toLowerCase() === address),
  );
  const exceptions = [
    ...unconfirmed.map(({ address, isDeclined }) =>
      text(isDeclined ? "forwarding.declined" : "forwarding.waiting", { address }),
    ),
    ...rules.suspendedForwards.map(({ address }) => text("forwarding.suspended", { address })),
  ];
  if (forwardTo.length === 0)
    return { status: statusOf(false, text), summary: text("overview.forwarding.none") };
  const addresses = forwardTo.join(", ");
  const targets = text(keepsCopy ? "overview.forwarding.copy" : "overview.forwarding.noCopy", {
    addresses,
  });
  const isOn = exceptions.length < forwardTo.length;
  return {
    status: isOn ? statusOf(true, text) : { tone: "waiting", label: text("forwarding.inactive") },
    summary: exceptions.length > 0 ? [targets, ...exceptions, ""].join(". ").trim() : targets,
  };
}

function Storage({ me }: { me: MailboxUser }) {
  const text = useTexts();
  const { usedBytes: used, quotaBytes: quota, messages } = me;
  const share = Math.min(1, used / quota);
  return (
    <div>
      <div
        className={classes.bar}
        role="meter"
        aria-label={text("overview.storage")}
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
        {text("overview.storage.used", {
          used: formatBytes(used),
          quota: formatBytes(quota),
          count: messages,
        })}
      </Text>
      {share >= NEARLY_FULL && (
        <Text size="sm" c="dimmed">
          {text(share >= 1 ? "overview.storage.full" : "overview.storage.nearlyFull")}
        </Text>
      )}
    </div>
  );
}
