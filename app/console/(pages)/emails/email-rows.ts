import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";

import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

import {
  type EmailFilterParams,
  type EmailRow,
  type EmailsPage,
  emailsQuery,
  filterSearch,
  ROWS_PER_PAGE,
} from "./queries.ts";

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

/** Less scrolling than this counts as being at the top. */
const TOP_PX = 40;

/**
 * Keeps new rows waiting while the reader is using the list: hovering over it, focused in it, or scrolled
 * down. Otherwise shows them immediately.
 *
 * @param place identifies the list; when it changes, all rows are replaced
 */
export function usePinnedRows(place: string, latest: EmailRow[]) {
  const list = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState({ place, rows: latest });
  const isSame = shown.place === place;
  const held = isSame ? pinRows(shown.rows, latest) : { rows: latest, waiting: 0 };

  useEffect(() => {
    const isStill = isSame && held.waiting > 0 && isBeingRead(list.current);
    if (!isStill) setShown({ place, rows: latest });
  }, [place, latest, isSame, held.waiting]);

  return { list, ...held, showAll: () => setShown({ place, rows: latest }) };
}

const isBeingRead = (list: HTMLElement | null): boolean =>
  list !== null &&
  (window.scrollY > TOP_PX || list.matches(":hover") || list.contains(document.activeElement));

type Row = { id: string };

/**
 * Keeps the visible rows of a list, with their latest data, and keeps newer ones waiting.
 *
 * @returns the rows to show, and how many newer ones are waiting
 */
export function pinRows<R extends Row>(shown: R[], latest: R[]): { rows: R[]; waiting: number } {
  const byId = new Map(latest.map((row) => [row.id, row]));
  const first = latest.findIndex(({ id }) => shown.some((row) => row.id === id));
  if (first === -1) return { rows: latest, waiting: 0 };
  return { rows: shown.map((row) => byId.get(row.id) ?? row), waiting: first };
}
