import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

// The console states this number too.
const KEPT_DAYS = 30;
// Small, because a message can have tens of megabytes.
const BATCH = 50;

/**
 * Deletes messages that have been in quarantine for 30 days, in small transactions that skip locked rows.
 *
 * @returns the number of deleted messages
 */
export function deleteOldQuarantined(db: Db): Promise<number> {
  return inBatches(BATCH, async () => {
    const rows = await db.execute(sql`
      delete from quarantine where id = any(array(
        select id from quarantine
        where created_at < statement_timestamp() - make_interval(days => ${KEPT_DAYS})
          and released_as is null
        order by created_at limit ${BATCH}
        for update skip locked))
      returning id`);
    return rows.length;
  });
}
