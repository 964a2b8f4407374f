import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ContinueSearch, type SearchedTo } from "./continue-search.tsx";
import { DataTable, DataTableSkeleton, type ListLayout } from "./data-table.tsx";
import type { ListParams } from "./list-tools.tsx";
import { NoResults } from "./no-results.tsx";
import { isFirstPage, type RowPage, type PageCursor, Pagination } from "./pagination.tsx";
import { QueryView } from "./query-view.tsx";

type Page<Row> = Omit<RowPage, "data"> & { data: Row[]; searchedTo?: SearchedTo | null };

type ListProps<Row extends { id: string }, Answer> = {
  layout: ListLayout<Row>;
  place: PageCursor;
  params: ListParams;
  isFiltered: boolean;
  empty: Part<Answer>;
  above?: Part<Answer>;
  below?: Part<Answer>;
  noResults?: string | undefined;
};

type Part<Answer> = ReactNode | ((page: Answer) => ReactNode);

const partFor = <Answer,>(part: Part<Answer>, page: Answer): ReactNode =>
  typeof part === "function" ? part(page) : part;

/**
 * A page of a list in any state of its query: loading, failed, empty, without results, or with rows.
 *
 * @param leaving IDs of rows that are being removed, and no longer shown
 * @param sorted sorts the rows, if the server doesn't
 * @param isFiltered whether a filter is active, so that no rows means no results
 * @param empty shown for a list without any rows
 * @param above shown above the rows
 * @param below shown below the rows
 * @param noResults a hint for a list without rows that match the filters
 */
export function ListView<Row extends { id: string }, Answer extends Page<Row>>({
  query,
  leaving,
  sorted = (rows) => rows,
  skeletonRows,
  ...list
}: ListProps<Row, Answer> & {
  query: UseQueryResult<Answer>;
  sorted?: ((rows: Row[]) => Row[]) | undefined;
  leaving?: ReadonlySet<string> | undefined;
  skeletonRows: number;
}) {
  const { layout, params } = list;
  return (
    <QueryView
      query={query}
      noun={`the ${layout.noun}`}
      skeleton={<DataTableSkeleton layout={layout} hidden={params.hidden} rows={skeletonRows} />}
    >
      {(page) => (
        <LoadedList
          {...list}
          page={{ ...page, data: sorted(page.data.filter(({ id }) => !leaving?.has(id))) }}
          isPlaceholder={query.isPlaceholderData}
        />
      )}
    </QueryView>
  );
}

function LoadedList<Row extends { id: string }, Answer extends Page<Row>>({
  layout,
  page,
  isPlaceholder,
  place,
  params,
  isFiltered,
  empty,
  above,
  below,
  noResults,
}: ListProps<Row, Answer> & { page: Answer; isPlaceholder: boolean }) {
  const isNone = page.data.length === 0 && isFirstPage(place);
  if (isNone && !isFiltered) return partFor(empty, page);
  return (
    <>
      {partFor(above, page)}
      {isNone && <NoResults noun={layout.noun} hint={noResults} />}
      {page.data.length > 0 && <DataTable layout={layout} rows={page.data} {...params} />}
      {!place.before && <ContinueSearch searchedTo={page.searchedTo ?? null} />}
      <Pagination cursor={place} page={page} isPlaceholder={isPlaceholder} />
      {partFor(below, page)}
    </>
  );
}

/** Whether the list has no rows at all. Its page then has no filters. */
export const isEmptyList = (
  { data }: { data: { data: unknown[] } | undefined },
  place: PageCursor,
  isFiltered: boolean,
): boolean => data?.data.length === 0 && isFirstPage(place) && !isFiltered;
