"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { EntryDialog } from "./entry-dialog.tsx";
import { Filters } from "./filters.tsx";
import { EntryList, EntryListSkeleton } from "./entry-list.tsx";
import { type Kind, type LogEntry, type LogFilters, mailLogQuery } from "./queries.ts";
import { kinds } from "./reply-words.ts";

const HEAD = {
  title: "Mail log",
  sentence: "What this server answered to other servers and to mail apps, for seven days.",
};

export function MailLog() {
  const filters = useFilters();
  const log = useInfiniteQuery(mailLogQuery(filters));
  const [opened, setOpened] = useState<LogEntry | null>(null);
  return (
    <>
      <PageHeader
        {...HEAD}
        action={
          <Button variant="default" aria-busy={log.isFetching} onClick={() => void log.refetch()}>
            Refresh
          </Button>
        }
      />
      <Filters filters={filters} />
      <QueryView query={log} what="the mail log" skeleton={<EntryListSkeleton />}>
        {({ pages }) => {
          const entries = pages.flatMap(({ data }) => data);
          const isCutShort = pages.at(-1)?.is_cut_short ?? false;
          return (
            <Stack gap="md">
              {entries.length === 0 && !isCutShort && <Nothing filters={filters} />}
              {entries.length > 0 && <EntryList entries={entries} onOpen={setOpened} />}
              {isCutShort && (
                <Text c="dimmed" role="status">
                  Half a million entries were looked at. Older ones may fit too.
                </Text>
              )}
              {log.hasNextPage && (
                <div>
                  <Button
                    variant="default"
                    aria-busy={log.isFetchingNextPage}
                    onClick={() => void log.fetchNextPage()}
                  >
                    {isCutShort ? "Search on" : "Older"}
                  </Button>
                </div>
              )}
            </Stack>
          );
        }}
      </QueryView>
      <EntryDialog entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}

function Nothing({ filters }: { filters: LogFilters }) {
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <EmptyList title={isFiltered ? "Nothing fits" : "Nothing was answered yet"}>
      <Text c="dimmed">
        {isFiltered
          ? "Nobody who fits came to this server within seven days. If mail does not even get here, look at the sender's own log, and at the MX record of the domain."
          : "As soon as a server or a mail app connects, you see here what it was told."}
      </Text>
    </EmptyList>
  );
}

function useFilters(): LogFilters {
  const asked = useSearchParams();
  const [search, kind, client, company] = ["search", "kind", "client", "company"].map((name) =>
    asked.get(name),
  );
  return {
    ...(search && { search }),
    ...(kind && Object.hasOwn(kinds, kind) && { kind: kind as Kind }),
    ...(client && { client }),
    ...(company && { company }),
  };
}

export function MailLogSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <EntryListSkeleton />
    </>
  );
}
