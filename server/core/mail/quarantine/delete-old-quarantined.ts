import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

/** As long as the console says. */
const KEPT_DAYS = 30;
/** A message may have tens of megabytes. */
const BATCH = 50;

/**
 * Deletes messages that nobody has decided about for 30 days, in small transactions that never wait for
 * anyone.
 *
 * @returns how many messages were deleted
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
