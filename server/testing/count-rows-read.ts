import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** How many rows of a table `work` reads, by scanning the table and by its indexes. */
export function countRowsRead(
  db: Db,
  table: string,
  work: (tx: Db) => Promise<unknown>,
): Promise<{ byScan: number; byIndex: number }> {
  return db.transaction(async (tx) => {
    const read = async () => {
      const [row] = await tx.execute<{ byScan: number; byIndex: number }>(sql`
        select seq_tup_read::int as "byScan", idx_tup_fetch::int as "byIndex"
        from pg_stat_xact_user_tables where relname = ${table}`);
      return row!;
    };
    const before = await read();
    await work(tx);
    const after = await read();
    return { byScan: after.byScan - before.byScan, byIndex: after.byIndex - before.byIndex };
  });
}
