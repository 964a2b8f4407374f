import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";

import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

import { type EmailFilterParams, filterSearch } from "./filter-params.ts";
import { type EmailsPage, emailsQuery, ROWS_PER_PAGE } from "./queries.ts";

/**
 * Reads one page of matching emails. Keeps requesting until the page is full or the search has reached the
 * end, unless the reader stops it.
 */
export function useEmailSearch(
  place: PageCursor,
  filters: EmailFilterParams,
  sort: SortOf<typeof TIME_SORTS>,
) {
  const query = useInfiniteQuery(emailsQuery(place, filters, sort));
  const listKey = `${sort} ${filterSearch({ ...place, ...filters })}`;
  const [stopped, setStopped] = useState<string | null>(null);
  const page = useMemo(() => mergePages(query.data?.pages ?? [], place), [query.data, place]);

  const canContinue =
    query.hasNextPage && !query.isPlaceholderData && page.data.length < ROWS_PER_PAGE;
  const isSearching = canContinue && stopped !== listKey && !query.isFetchNextPageError;
  const { isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);

  return {
    query,
    /** Identifies the list: changes with the filters and the page position. */
    listKey,
    page,
    search: {
      isSearching,
      isStopped: canContinue && !isSearching,
      /** The time of the last email searched. */
      at: query.data?.pages.at(-1)?.searchedTo?.at ?? null,
      stop: () => setStopped(listKey),
      resume: () => setStopped(null),
    },
  };
}

/** Merges the requests' results into one page, in list order. */
function mergePages(pages: EmailsPage[], { before }: PageCursor) {
  const inOrder = before === undefined ? pages : pages.toReversed();
  const all = inOrder.flatMap(({ data }) => data);
  const data = before === undefined ? all.slice(0, ROWS_PER_PAGE) : all.slice(-ROWS_PER_PAGE);
  const last = pages.at(-1);
  const isLast = last?.searchedTo === null;
  const counts = pages.length === 1 ? last!.counts : null;
  return { data, counts, hasMore: all.length > data.length || (isLast && last.hasMore) };
}
