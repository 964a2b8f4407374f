"use client";

import { downloadUrl } from "#app/console/console-client.ts";
import { Text } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";

import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";

import { ComposeButton } from "./compose-button.tsx";
import { EMAIL_LIST, hiddenColumns } from "./email-columns.tsx";
import { EmailFilters } from "./email-filters.tsx";
import { EmailListStatus } from "./email-list-status.tsx";
import { parseEmailFilters, toListQuery } from "./filter-params.ts";
import { NoEmails } from "./no-emails.tsx";
import { ROWS_PER_PAGE } from "./queries.ts";
import { useEmailSearch } from "./use-email-search.ts";
import { usePinnedRows } from "./use-pinned-rows.ts";

const HEAD = {
  title: "Emails",
  help: "first-email",
  description: "Emails your company sends through the API and the console.",
} as const;

export function Emails() {
  const place = useStablePlace();
  const search = useSearchParams();
  const filters = useMemo(() => parseEmailFilters(search), [search]);
  const params = useListParams(TIME_SORTS);
  const { sort } = params;
  const { query, listKey, page, search: progress } = useEmailSearch(place, filters, sort);
  const pinned = usePinnedRows(listKey, page.data);

  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = query.isSuccess && isFirstPage(place) && !isFiltered && page.data.length === 0;
  const table = { layout: EMAIL_LIST, hidden: hiddenColumns(params.hidden, filters) };
  return (
    <>
      <PageHeader {...HEAD} action={!query.isLoadingError && !isEmpty && <ComposeButton />} />
      {!isEmpty && !isForbidden(query) && (
        <EmailFilters filters={filters}>
          <ListTools
            layout={EMAIL_LIST}
            params={params}
            exportUrl={downloadUrl("emails.export", { query: { ...toListQuery(filters), sort } })}
            hasViews
          />
        </EmailFilters>
      )}
      <QueryView
        query={query}
        noun="the emails"
        skeleton={<DataTableSkeleton {...table} rows={ROWS_PER_PAGE} />}
      >
        {() => {
          if (isEmpty) return <NoEmails />;
          return (
            <>
              <EmailListStatus
                progress={progress}
                isNewestFirst={sort === "-created"}
                waiting={pinned.waiting}
                onShow={pinned.showAll}
              />
              <div ref={pinned.list}>
                {pinned.rows.length > 0 && <DataTable {...table} rows={pinned.rows} sort={sort} />}
              </div>
              {pinned.rows.length === 0 && isFirstPage(place) && (
                <NoMatchingEmails isSearching={progress.isSearching} />
              )}
              <Pagination
                cursor={place}
                page={{ ...page, data: pinned.rows }}
                isPlaceholder={
                  query.isPlaceholderData || progress.isSearching || progress.isStopped
                }
                isStale={query.isPlaceholderData}
              />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

/** Shown until the URL's search parameters are known. */
export function EmailsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={EMAIL_LIST} rows={ROWS_PER_PAGE} />
    </>
  );
}

function NoMatchingEmails({ isSearching }: { isSearching: boolean }) {
  if (!isSearching) return <NoResults noun="emails" />;
  return (
    <EmptyState title="No matching emails yet">
      <Text c="dimmed">Still searching other emails…</Text>
    </EmptyState>
  );
}

/** Returns the same object until the page position in the URL changes, as hook dependencies need it. */
function useStablePlace() {
  const { after, before } = usePageCursor();
  return useMemo(() => (after ? { after } : before ? { before } : {}), [after, before]);
}
