import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

/** A year can be compared with the one before it, month by month. */
const KEPT_DAYS = 400;
/** A report may have a hundred thousand rows, which go with it. */
const BATCH = 20;

/**
 * Deletes DMARC and TLS reports that came 400 days ago, in small transactions that never wait for anyone.
 *
 * @returns how many reports were deleted
 */
export async function deleteOldReports(db: Db): Promise<number> {
  const dmarc = await inBatches(BATCH, () => deleteBatch(db, sql`dmarc_reports`));
  const tls = await inBatches(BATCH, () => deleteBatch(db, sql`tls_reports`));
  return dmarc + tls;
}

async function deleteBatch(db: Db, table: SQL): Promise<number> {
  const rows = await db.execute(sql`
    delete from ${table} where id in (
      select id from ${table}
      where created_at < statement_timestamp() - make_interval(days => ${KEPT_DAYS})
      order by created_at limit ${BATCH}
      for update skip locked)
    returning id`);
  return rows.length;
}
