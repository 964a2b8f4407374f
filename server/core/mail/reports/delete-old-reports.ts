import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

// Long enough to compare a month with the same month of the year before.
const KEPT_DAYS = 400;
// Small, because a report can have 100,000 rows.
const BATCH = 20;

/**
 * Deletes DMARC and TLS reports older than 400 days, in small transactions that skip locked rows.
 *
 * @returns the number of deleted reports
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
