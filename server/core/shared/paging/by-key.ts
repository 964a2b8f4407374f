import { and, asc, desc, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import type { Direction, PageRequest } from "./page.ts";

/**
 * Query parts for a page of a list ordered by (key, id), with IDs as cursors. Read `limit + 1` rows, as `toPage`
 * expects. A page continues from the key that the cursor's row has now; without such a row it is empty.
 *
 * @param key `id` itself, or what is sorted by
 * @param keyOf the key of the row with an ID, as a scalar subquery; not used if the key is the ID
 */
export function pageByKey(
  { key, id, keyOf }: { key: SQL | PgColumn; id: PgColumn; keyOf: (id: string) => SQL },
  inList: SQL | undefined,
  page: PageRequest,
  direction: Direction,
) {
  const isUp = (page.before === null) === (direction === "ascending");
  const order = isUp ? asc : desc;
  const cursor = page.after ?? page.before;
  const beyond = (from: string, sign: "<" | ">") =>
    key === id
      ? sql`${id} ${sql.raw(sign)} ${from}`
      : sql`(${key}, ${id}) ${sql.raw(sign)} (${keyOf(from)}, ${from})`;
  return {
    where: and(inList, cursor === null ? undefined : beyond(cursor, isUp ? ">" : "<")),
    orderBy: key === id ? [order(id)] : [order(key), order(id)],
    /** The rows that come before a row of the list. */
    before: (row: string) => and(inList, beyond(row, direction === "ascending" ? "<" : ">")),
  };
}
