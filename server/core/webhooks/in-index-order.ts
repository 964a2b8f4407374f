import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * Runs statements that take a few rows from the front of an index. The planner goes by statistics that
 * may be from before a hundred thousand events came to wait, and would read and sort all of a webhook's: here it may not.
 */
export function inIndexOrder<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`
      select set_config(name, 'off', true)
      from unnest(array['enable_sort', 'enable_bitmapscan', 'enable_seqscan']) as name`);
    return work(tx);
  });
}
