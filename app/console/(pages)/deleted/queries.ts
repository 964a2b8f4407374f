import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type AnswerOf, change, read } from "#app/console/console-client.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 50;

export type DeletedList = AnswerOf<"deletedItems.list">;
export type DeletedRow = DeletedList["data"][number];

/** What a deletion or restoration changes. */
export const DELETED_KEYS = [
  ...[["deleted"], ["mailboxes"], ["groups"], ["domains"], ["api-keys"], ["me"]],
  ["inbound-addresses"],
  ["settings", "usage"],
] as const;

export const deletedQuery = (place: PageCursor, sort: SortOf<typeof TIME_SORTS>) =>
  queryOptions({
    queryKey: ["deleted", place, sort],
    queryFn: () =>
      read("deletedItems.list", {
        query: { ...place, sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const restoreItem = (id: string) => change("deletedItems.restore", { params: { id } });

export const deleteItem = (id: string) =>
  change("deletedItems.deletePermanently", { params: { id } });
