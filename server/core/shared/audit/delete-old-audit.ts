import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

const BATCH = 1_000;

/**
 * Deletes audit entries older than `days`, in small transactions that skip locked rows.
 *
 * @returns the number of entries deleted
 */
export function deleteOldAudit(db: Db, days: number): Promise<number> {
  return inBatches(BATCH, async () => {
    const rows = await db.execute(sql`
      delete from audit_entries where id in (
        select id from audit_entries
        where created_at < statement_timestamp() - make_interval(days => ${days})
        order by created_at limit ${BATCH}
        for update skip locked)
      returning id`);
    return rows.length;
  });
}
