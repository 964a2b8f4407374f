import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

const BATCH = 1_000;

/**
 * Deletes suppressions for bounces that are older than `days`, so that the addresses are tried again. Complaints and
 * suppressions that were added manually stay.
 *
 * @returns the number of suppressions deleted
 */
export function deleteOldSuppressions(db: Db, days: number): Promise<number> {
  return inBatches(BATCH, async () => {
    const rows = await db.execute(sql`
      delete from suppressions where id in (
        select id from suppressions
        where origin = 'bounce' and created_at < statement_timestamp() - make_interval(days => ${days})
        order by created_at limit ${BATCH}
        for update skip locked)
      returning id`);
    return rows.length;
  });
}
