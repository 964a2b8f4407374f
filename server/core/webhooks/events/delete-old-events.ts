import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

const RETENTION_DAYS = 30;
const BATCH = 500;

/**
 * Deletes webhook events older than 30 days with their attempts, including pending ones, in small
 * transactions that skip locked rows.
 *
 * @returns the number of events deleted
 */
export function deleteOldEvents(db: Db): Promise<number> {
  return inBatches(BATCH, () => deleteBatch(db));
}

async function deleteBatch(db: Db): Promise<number> {
  const rows = await db.execute(sql`
    delete from webhook_events where id = any(array(
      select id from webhook_events
      where created_at < statement_timestamp() - make_interval(days => ${RETENTION_DAYS})
      order by created_at limit ${BATCH}
      for update skip locked))
    returning id`);
  return rows.length;
}
