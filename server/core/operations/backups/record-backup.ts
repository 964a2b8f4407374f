import { eq, lt, sql } from "drizzle-orm";

import { backups } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** What a run stored. */
export type StoredBackup = { messages: number; totalBytes: number; addedBytes: number };

/** Records the start of a backup and deletes records older than a year. Returns the id of the record. */
export async function recordStart(db: Db, repository: string): Promise<string> {
  await db
    .delete(backups)
    .where(lt(backups.startedAt, sql`statement_timestamp() - interval '1 year'`));
  const [row] = await db.insert(backups).values({ repository }).returning({ id: backups.id });
  return row!.id;
}

/** Records a backup whose restored copy passed all checks, and what they showed. */
export async function recordProved(
  db: Db,
  id: string,
  { proof, ...stored }: Partial<StoredBackup> & { proof: string },
): Promise<void> {
  const at = sql`clock_timestamp()`;
  await db
    .update(backups)
    .set({ ...stored, proof, finishedAt: at, provedAt: at })
    .where(eq(backups.id, id));
}

/**
 * Records why a backup failed.
 *
 * @param stored null unless the backup was stored, but not proved
 */
export async function recordFailure(
  db: Db,
  id: string,
  { error, stored }: { error: string; stored: StoredBackup | null },
): Promise<void> {
  await db
    .update(backups)
    .set({ ...stored, error, finishedAt: sql`clock_timestamp()` })
    .where(eq(backups.id, id));
}
