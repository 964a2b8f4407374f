import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "./client.ts";
import { inBatches } from "./in-batches.ts";

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
export function isOlderThan(time: PgColumn, days: number): SQL {
  return sql`${time} < statement_timestamp() - make_interval(days => ${days})`;
}

/** The lowest UUIDv7 of the time `days` ago. */
export function oldestId(days: number): SQL {
  const time = sql`extract(epoch from statement_timestamp() - make_interval(days => ${days}))`;
  return sql`(lpad(to_hex(greatest(${time} * 1000, 0)::bigint), 12, '0') || repeat('0', 20))::uuid`;
}
