import { and, asc, desc, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import type { PageRequest } from "./page.ts";

export type Direction = "ascending" | "descending";

/**
 * Query parts for a page of a list ordered by (key, id), with IDs as cursors. Read `limit + 1` rows, as `toPage`
 * expects. A page continues from the key that the cursor's row has now; without such a row it is empty.
 *
 * @param keyOf the key of the row with an ID: `id` itself, or a scalar subquery
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
    sql`(${key}, ${id}) ${sql.raw(sign)} (${keyOf(from)}, ${from})`;
  return {
    where: and(inList, cursor === null ? undefined : beyond(cursor, isUp ? ">" : "<")),
    orderBy: [order(key), order(id)],
    /** The rows that come before a row of the list. */
    before: (row: string) => and(inList, beyond(row, direction === "ascending" ? "<" : ">")),
  };
}
