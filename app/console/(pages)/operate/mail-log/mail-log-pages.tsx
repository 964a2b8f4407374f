import { Button, Stack, Text } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";

import { DataTable, DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

type Page<Entry> = { data: Entry[]; isCutShort: boolean };

type PagesText = { noMatches?: string; emptyTitle: string; empty: string };

type LogProps<Entry> = {
  log: UseInfiniteQueryResult<InfiniteData<Page<Entry>>>;
  isFiltered: boolean;
  layout: ListLayout<Entry>;
  text: PagesText;
};

export function MailLogPages<Entry extends { id: string }>({
  log,
  isFiltered,
  layout,
  text,
}: LogProps<Entry>) {
  return (
    <QueryView query={log} noun="the mail log" skeleton={<MailLogListSkeleton layout={layout} />}>
      {({ pages }) => (
        <MailLogEntries
          {...{ log, isFiltered, layout, text }}
          entries={pages.flatMap(({ data }) => data)}
          isCutShort={pages.at(-1)?.isCutShort ?? false}
        />
      )}
    </QueryView>
  );
}

const SKELETON_ROWS = 10;

export const MailLogListSkeleton = <Entry,>({ layout }: { layout: ListLayout<Entry> }) => (
  <DataTableSkeleton layout={layout} rows={SKELETON_ROWS} />
);

type EntriesProps<Entry> = LogProps<Entry> & { entries: Entry[]; isCutShort: boolean };

function MailLogEntries<Entry extends { id: string }>({
  log,
  isFiltered,
  layout,
  text,
  entries,
  isCutShort,
}: EntriesProps<Entry>) {
  return (
    <Stack gap="md">
      {entries.length === 0 && !isCutShort && <NoEntries {...{ isFiltered, text }} />}
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
}

function NoEntries({ isFiltered, text }: { isFiltered: boolean; text: PagesText }) {
  if (isFiltered) return <NoResults noun="entries" hint={text.noMatches} />;
  return (
    <EmptyState title={text.emptyTitle}>
      <Text c="dimmed">{text.empty}</Text>
    </EmptyState>
  );
}
