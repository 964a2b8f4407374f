"use client";

import { Button, Stack, Tabs, Text } from "@mantine/core";
import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useIsFetching,
  useQueryClient,
} from "@tanstack/react-query";
import { useState } from "react";

import { read } from "#app/console/console-client.ts";
import type { NavigationArea } from "#app/console/shell/navigation.ts";
import { DataTable, DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { ChoiceChips, FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { useTab } from "#app/console/ui/tabs.tsx";
import { anyText, oneOf, timestamp, useUrlFilters, uuid } from "#app/console/ui/url-filters.ts";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { incomingList, outgoingList } from "./mail-log-columns.tsx";
import { IncomingDialog, OutgoingDialog } from "./mail-log-dialogs.tsx";
import { MailLogFilters } from "./mail-log-filters.tsx";
import {
  COMPANY_KINDS,
  type IncomingEntry,
  KINDS,
  type OutgoingEntry,
  RESULTS,
} from "./reply-text.ts";

const DESCRIPTIONS = {
  incoming: "Messages received, rejected, or sent from mail apps in the last seven days.",
  outgoing: "Delivery attempts for outgoing mail, with the reply of the receiving server.",
};

/** Filters that stay when the user switches between tabs. */
const SHARED = {
  search: anyText,
  company: uuid,
  mailbox: anyText,
  from: timestamp,
  to: timestamp,
};
const INCOMING = { ...SHARED, kind: oneOf(KINDS), client: anyText };
const OUTGOING = { ...SHARED, result: oneOf(RESULTS), message: uuid };

/** Removes the filters of a single tab from the URL. */
const NOT_SHARED = { kind: "", client: "", result: "", message: "" };

/** @param area "company" shows only the mail of the admin's company or units */
export function MailLog({ area }: { area: NavigationArea }) {
  const tab = useTab(DESCRIPTIONS);
  return (
    <>
      <PageHeader
        title="Mail log"
        help="tracing"
        description={DESCRIPTIONS[tab]}
        action={<RefreshMailLog />}
      />
      <Tabs
        value={tab}
        onChange={(next) =>
          updateSearch({ ...NOT_SHARED, tab: next === "outgoing" ? next : "" }, "replace")
        }
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="incoming">Messages</Tabs.Tab>
          <Tabs.Tab value="outgoing">Delivery attempts</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="incoming">
          <IncomingMail area={area} />
        </Tabs.Panel>
        <Tabs.Panel value="outgoing">
          <OutgoingMail area={area} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function RefreshMailLog() {
  const queryClient = useQueryClient();
  const isBusy = useIsFetching({ queryKey: MAIL_LOG }) > 0;
  return (
    <Button
      variant="default"
      aria-busy={isBusy}
      onClick={() => void queryClient.invalidateQueries({ queryKey: MAIL_LOG })}
    >
      Refresh
    </Button>
  );
}

const MAIL_LOG = ["mail log"];

/** Filters by client; any other text searches addresses and replies. */
const IP_OR_NETWORK = /^[0-9a-f:.]*[.:][0-9a-f:.]*[0-9a-f:](\/\d{1,3})?$/i;

function IncomingMail({ area }: { area: NavigationArea }) {
  const filters = useUrlFilters(INCOMING);
  const log = useInfiniteQuery({
    queryKey: [...MAIL_LOG, area, "incoming", filters],
    queryFn: ({ pageParam: before }) => {
      const query = { ...filters, before };
      return area === "operate"
        ? read("mailLog.list", { query })
        : read("mailTrace.list", { query });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const [opened, setOpened] = useState<IncomingEntry | null>(null);
  return (
    <>
      <MailLogFilters
        area={area}
        filters={filters}
        hint="Address, reply, or client IP"
        search={filters.client ?? filters.search ?? ""}
        searchFilters={(text) =>
          IP_OR_NETWORK.test(text) ? { client: text, search: "" } : { client: "", search: text }
        }
      >
        <ChoiceChips
          name="kind"
          label="Result"
          value={filters.kind}
          options={area === "operate" ? KINDS : COMPANY_KINDS}
        />
      </MailLogFilters>
      <MailLogPages
        log={log}
        isFiltered={Object.keys(filters).length > 0}
        layout={incomingList(area, setOpened)}
        text={{
          noMatches:
            "If mail never reaches this server, check the sender’s log and the domain’s MX record.",
          emptyTitle: "No messages yet",
          empty: "Messages appear here when they’re received, rejected, or sent from a mail app.",
        }}
      />
      <IncomingDialog area={area} entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}

function OutgoingMail({ area }: { area: NavigationArea }) {
  const filters = useUrlFilters(OUTGOING);
  const log = useInfiniteQuery({
    queryKey: [...MAIL_LOG, area, "outgoing", filters],
    queryFn: ({ pageParam: before }) => {
      const query = { ...filters, before };
      return area === "operate"
        ? read("mailLog.listOutgoing", { query })
        : read("mailTrace.listOutgoing", { query });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const [opened, setOpened] = useState<OutgoingEntry | null>(null);
  return (
    <>
      <MailLogFilters
        area={area}
        filters={filters}
        hint="Address or domain"
        search={filters.search ?? ""}
        searchFilters={(search) => ({ search })}
      >
        <ChoiceChips name="result" label="Result" value={filters.result} options={RESULTS} />
        {filters.message && (
          <FilterChips label="Message">
            <FilterChip label="One message" change={{ message: "" }} isActive />
          </FilterChips>
        )}
      </MailLogFilters>
      <MailLogPages
        log={log}
        isFiltered={Object.keys(filters).length > 0}
        layout={outgoingList(area, setOpened)}
        text={{
          noMatches: "Mail without an attempt is in the queue, or on hold in its company.",
          emptyTitle: "No delivery attempts yet",
          empty:
            "Each attempt to deliver a message to another server or to a mailbox appears here.",
        }}
      />
      <OutgoingDialog area={area} entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}

type Page<Entry> = { data: Entry[]; isCutShort: boolean };

type PagesText = { noMatches?: string; emptyTitle: string; empty: string };

type LogProps<Entry> = {
  log: UseInfiniteQueryResult<InfiniteData<Page<Entry>>>;
  isFiltered: boolean;
  layout: ListLayout<Entry>;
  text: PagesText;
};

function MailLogPages<Entry extends { id: string }>({
  log,
  isFiltered,
  layout,
  text,
}: LogProps<Entry>) {
  return (
    <QueryView
      query={log}
      noun="the mail log"
      skeleton={<DataTableSkeleton layout={layout} rows={SKELETON_ROWS} />}
    >
      {({ pages }) => {
        const entries = pages.flatMap(({ data }) => data);
        const isCutShort = pages.at(-1)?.isCutShort ?? false;
        return (
          <Stack gap="md">
            {entries.length === 0 && !isCutShort && (
              <NoEntries isFiltered={isFiltered} text={text} />
            )}
            {entries.length > 0 && <DataTable layout={layout} rows={entries} />}
            {isCutShort && (
              <Text c="dimmed" role="status">
                Searched 200,000 entries. Older entries may match too.
              </Text>
            )}
            {log.hasNextPage && (
              <div>
                <Button
                  variant="default"
                  aria-busy={log.isFetchingNextPage}
                  onClick={() => void log.fetchNextPage()}
                >
                  {isCutShort ? "Search older entries" : "Older"}
                </Button>
              </div>
            )}
          </Stack>
        );
      }}
    </QueryView>
  );
}

const SKELETON_ROWS = 10;

function NoEntries({ isFiltered, text }: { isFiltered: boolean; text: PagesText }) {
  if (isFiltered) return <NoResults noun="entries" hint={text.noMatches} />;
  return (
    <EmptyState title={text.emptyTitle}>
      <Text>{text.empty}</Text>
    </EmptyState>
  );
}
