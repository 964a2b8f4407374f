import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import type { deletePermanently } from "#server/console/deleted-items/delete-permanently.ts";
import type { listDeleted } from "#server/console/deleted-items/list-deleted.ts";
import type { restoreDeleted } from "#server/console/deleted-items/restore-deleted.ts";

const REFRESH_MS = 15_000;
const ROWS_PER_PAGE = 50;

export type DeletedList = Answer<typeof listDeleted>;
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
      call<typeof listDeleted>("GET", "/console/api/deleted", {
        query: { ...place, sort, limit: String(ROWS_PER_PAGE) },
      }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const restoreItem = (id: string) =>
  call<typeof restoreDeleted>("POST", "/console/api/deleted/{id}/restore", { params: { id } });

export const deleteItem = (id: string) =>
  call<typeof deletePermanently>("DELETE", "/console/api/deleted/{id}", { params: { id } });
