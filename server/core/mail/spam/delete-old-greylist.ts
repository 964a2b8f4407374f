import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

import { GREYLIST_FORGOTTEN_DAYS, UNPROVEN_DAYS } from "./greylist-times.ts";

const BATCH = 1_000;

/**
 * Deletes expired greylist entries, in small transactions that skip locked rows.
 *
 * @returns the number of deleted entries
 */
export function deleteOldGreylist(db: Db): Promise<number> {
  return inBatches(BATCH, async () => {
    const rows = await db.execute(sql`
      delete from greylist where ctid = any(array(
        select ctid from greylist
        where last_seen_at < statement_timestamp() - make_interval(days => ${UNPROVEN_DAYS})
          and (passed_at is null
            or last_seen_at < statement_timestamp() - make_interval(days => ${GREYLIST_FORGOTTEN_DAYS}))
        order by last_seen_at limit ${BATCH}
        for update skip locked))
      returning 1`);
    return rows.length;
  });
}
