import { desc, isNotNull, sql } from "drizzle-orm";

import { backups } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export type LastBackups = {
  /** The last run, verified or not; null before the first one. */
  last: Run | null;
  proved: Run | null;
};

type Run = typeof backups.$inferSelect & { ageSeconds: number };

/** The last backup, and the last verified one. */
export async function lastBackups(db: Db): Promise<LastBackups> {
  const age = sql<number>`
    extract(epoch from statement_timestamp() - ${backups.startedAt})::float8`.as("age_seconds");
  const newest = () =>
    db
      .select({ run: backups, ageSeconds: age })
      .from(backups)
      .orderBy(desc(backups.startedAt))
      .limit(1)
      .$dynamic();
  const [last] = await newest();
  const [proved] = await newest().where(isNotNull(backups.provedAt));
  const flat = (row: typeof last) => (row ? { ...row.run, ageSeconds: row.ageSeconds } : null);
  return { last: flat(last), proved: flat(proved) };
}
