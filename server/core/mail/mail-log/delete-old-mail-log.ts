import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

const KEPT_DAYS = 7;
const BATCH = 1_000;

/**
 * Deletes entries older than seven days, in small transactions that skip locked rows.
 *
 * @returns the number of deleted entries
 */
export function deleteOldMailLog(db: Db): Promise<number> {
  return inBatches(BATCH, () => deleteBatch(db));
}

async function deleteBatch(db: Db): Promise<number> {
  const rows = await db.execute(sql`
    delete from mail_log where id in (
      select id from mail_log
      where created_at < statement_timestamp() - make_interval(days => ${KEPT_DAYS})
      order by created_at limit ${BATCH}
      for update skip locked)
    returning id`);
  return rows.length;
}
