import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "./client.ts";

/**
 * Repeats `work` until it processes fewer than `size` rows. Small transactions keep locks short.
 *
 * @param work processes a batch and returns its number of rows
 * @returns the total number of rows
 */
export async function inBatches(size: number, work: () => Promise<number>): Promise<number> {
  let handled = 0;
  for (;;) {
    const batch = await work();
    handled += batch;
    if (batch < size) return handled;
  }
}

/**
 * Like `inBatches`, for when some rows are kept: each batch starts where the last one ended, instead of scanning the kept rows
 * again.
 *
 * @param first lowest sort key
 * @param work gets the sort key to start at, and returns the number of rows and the sort key of the last one
 */
export function inOrderedBatches(
  size: number,
  first: string,
  work: (from: string) => Promise<OrderedBatch>,
): Promise<number> {
  let from = first;
  return inBatches(size, async () => {
    const { count, last } = await work(from);
    from = last ?? from;
    return count;
  });
}

/** `last` is null if there were no rows. */
export type OrderedBatch = { count: number; last: string | null };

/** The lowest sort keys, by time and by id. */
export const FIRST_TIME = "-infinity";

export const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Deletes rows in small transactions that skip locked rows. Safe to run concurrently.
 *
 * @param table has no partitions
 * @param oldestFirst the time in `where`, if it has an index: batches then continue where the last one ended
 * @returns the number of rows deleted
 */
export function deleteInBatches(
  db: Db,
  table: PgTable,
  { where, oldestFirst, size = 1_000 }: { where: SQL; oldestFirst?: PgColumn; size?: number },
): Promise<number> {
  const order = oldestFirst ? sql`order by ${oldestFirst}` : sql``;
  return inBatches(size, async () => {
    const rows = await db.execute(sql`
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where ${where} ${order} limit ${size} for update skip locked))
      returning 1`);
    return rows.length;
  });
}

/** Whether a time is more than `days` ago. */
export const isOlderThan = (time: PgColumn, days: number): SQL =>
  sql`${time} < statement_timestamp() - make_interval(days => ${days})`;

/** The lowest UUIDv7 of the time `days` ago. */
export function oldestId(days: number): SQL {
  const time = sql`extract(epoch from statement_timestamp() - make_interval(days => ${days}))`;
  return sql`(lpad(to_hex(greatest(${time} * 1000, 0)::bigint), 12, '0') || repeat('0', 20))::uuid`;
}

/**
 * Writes log rows, leaving out those whose values Postgres rejects, so that a row that can never be written
 * doesn't block the rest.
 *
 * @returns the rejected rows
 * @throws any other error from `write`, such as an unreachable database
 */
export async function writeAroundBadRows<Row>(
  rows: Row[],
  write: (rows: Row[]) => Promise<void>,
): Promise<Row[]> {
  try {
    await write(rows);
    return [];
  } catch (error) {
    if (!isAboutValues(error)) throw error;
    if (rows.length === 1) return rows;
    const half = Math.ceil(rows.length / 2);
    return [
      ...(await writeAroundBadRows(rows.slice(0, half), write)),
      ...(await writeAroundBadRows(rows.slice(half), write)),
    ];
  }
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint). */
function isAboutValues(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && "code" in cause && /^2[23]/.test(String(cause.code));
}
