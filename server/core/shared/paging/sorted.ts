import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "#server/db/client.ts";

import { pageByKey } from "./by-key.ts";
import { countRows, type ListCounts } from "./count-rows.ts";
import { type Direction, invalidCursor, isUuid, type PageRequest } from "./page.ts";

/** One of the orders that a list offers. */
export type Sort<Key extends string> = { by: Key; direction: Direction };

/** A key that is never null, and its direction. The ID decides between equal keys. */
export type SortOrder = { key: SQL | PgColumn; direction: Direction };

/** @returns the order for a sort by one of these keys */
export const sortOrders =
  <Key extends string>(keys: Record<Key, SQL | PgColumn>) =>
  ({ by, direction }: Sort<Key>): SortOrder => ({ key: keys[by], direction });

type Listed = PgTable & { id: PgColumn };

/** Newest first if `direction` is left out. */
export const byTime = (
  table: { createdAt: PgColumn },
  direction: Direction = "descending",
): SortOrder => ({ key: table.createdAt, direction });

/**
 * Query parts for a page of a sorted list. Read `limit + 1` rows, as `toPage` expects.
 *
 * The query that reads the page also looks up the cursor. An unknown cursor yields an empty page, so call
 * `requireCursor` if a page is empty.
 *
 * @param inList which rows are in the list
 * @throws Refusal `invalid` for a cursor that isn't an id
 */
export function pageSorted(
  db: Db,
  table: Listed,
  { key, direction }: SortOrder,
  inList: SQL | undefined,
  page: PageRequest,
) {
  const cursor = page.after ?? page.before;
  if (cursor !== null && !isUuid(cursor)) throw invalidCursor();
  const rowWith = (id: string | null) =>
    db
      .select({ key: sql`${key}` })
      .from(table)
      .where(and(inList, eq(table.id, id)));
  const keys = { key, id: table.id, keyOf: (id: string) => sql`(${rowWith(id)})` };
  return {
    ...pageByKey(keys, inList, page, direction),
    /** @throws Refusal `invalid` if there is a cursor and it isn't in the list */
    async requireCursor(): Promise<void> {
      if (cursor !== null && (await rowWith(cursor)).length === 0) throw invalidCursor();
    },
  };
}

/**
 * Counts a sorted list, and the rows before `first`, the first one of a page. Null with a filter that no index
 * supports, because counting would read the whole list.
 */
export async function countSorted(
  db: Db,
  table: Listed,
  order: SortOrder,
  { inList, within, fits }: { inList: SQL; within?: SQL | undefined; fits?: SQL | undefined },
  first: { id: string } | undefined,
): Promise<ListCounts | null> {
  if (fits) return null;
  const start = { limit: 1, after: null, before: null };
  const list = pageSorted(db, table, order, inList, start);
  const rows = (where: SQL | undefined) =>
    db.select({ id: table.id }).from(table).where(and(where, within));
  const [{ count: total, isCut }, before] = await Promise.all([
    countRows(db, rows(inList)),
    first ? countRows(db, rows(list.before(first.id))) : { count: 0 },
  ]);
  return { before: before.count, total, isCut };
}
