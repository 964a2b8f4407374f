import { type AnswerOf, change } from "#app/console/console-client.ts";
import { listOf } from "#app/console/endpoint-queries.ts";
import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";

const ROWS_PER_PAGE = 50;

export type DeletedList = AnswerOf<"deletedItems.list">;
export type DeletedRow = DeletedList["data"][number];

/** What a deletion or restoration changes. */
export const DELETED_KEYS = [
  ["deletedItems"],
  ["mailboxes", "list"],
  ["groups", "list"],
  ["domains", "list"],
  ["apiKeys", "list"],
  ["inboundAddresses"],
  ["settings", "getUsage"],
  ["sessions", "getMe"],
] as const;

export const deletedQuery = (place: PageCursor, sort: SortOf<typeof TIME_SORTS>) =>
  listOf("deletedItems.list", { ...place, sort, rows: ROWS_PER_PAGE });

export const restoreItem = (id: string) => change("deletedItems.restore", { params: { id } });

export const deleteItem = (id: string) =>
  change("deletedItems.deletePermanently", { params: { id } });
