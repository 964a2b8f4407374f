import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Counting stops here, so that it stays cheap however long the list is. */
const COUNTED_MAX = 10_000;

/** The size of a list and the place of a page in it, both up to `COUNTED_MAX`. */
export type ListCounts = {
  /** Rows before the page. */
  before: number;
  total: number;
  /** There are more rows than `total`. */
  isCut: boolean;
};

/** @param rows a query for the rows, of any columns, without a limit */
export async function countRows(
  db: Db,
  rows: { getSQL(): SQL },
): Promise<{ count: number; isCut: boolean }> {
  const [found] = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from (${rows.getSQL()} limit ${COUNTED_MAX + 1}) counted`,
  );
  const { count } = found!;
  return { count: Math.min(count, COUNTED_MAX), isCut: count > COUNTED_MAX };
}
