import { and, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "#server/db/client.ts";

import { countRows, type ListCounts } from "./count-rows.ts";

type Listed = PgTable & { id: PgColumn; createdAt: PgColumn };

/**
 * Counts a newest-first list, and the rows before `first`, the first one of a page. Null with a filter that no index
 * supports, because counting would read the whole list.
 */
export async function countNewestFirst(
  db: Db,
  table: Listed,
  { inList, within, fits }: { inList: SQL; within?: SQL | undefined; fits?: SQL | undefined },
  first: { id: string; createdAt: string } | undefined,
): Promise<ListCounts | null> {
  if (fits) return null;
  const listed: PgTable = table;
  const rows = (where: SQL | undefined) => db.select({ id: table.id }).from(listed).where(where);
  const newer =
    first &&
    sql`(${table.createdAt}, ${table.id}) > (${first.createdAt}::timestamptz, ${first.id}::uuid)`;
  const [{ count: total, isCut }, before] = await Promise.all([
    countRows(db, rows(and(inList, within))),
    newer ? countRows(db, rows(and(inList, within, newer))) : { count: 0 },
  ]);
  return { before: before.count, total, isCut };
}
