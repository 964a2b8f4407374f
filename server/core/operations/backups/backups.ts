import { desc, eq, isNotNull, lt, sql } from "drizzle-orm";

import { backups, companies } from "#drizzle/schema/index.ts";
import type { Config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { followsBackup, hasEmbeddedDatabase, storesChanges } from "./stored-changes.ts";

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

/** Time between attempts after a failure. */
const RETRY_MINUTES = 60;

/**
 * Whether a scheduled backup should start: its hour has passed, a company existed then, and no backup has succeeded
 * since. A failed one is retried after an hour. Also when changes can't be stored without a new backup, as on a new server
 * whose destination was just set. Never for an external database, and in local mode only if a destination is set.
 */
export async function isBackupDue(
  db: Db,
  { localMode, dataFolder }: Pick<Config, "localMode" | "dataFolder">,
): Promise<boolean> {
  const { backup_to: to, backup_hour: hour, backup_every_hours: every } = await readSettings(db);
  if (to === "off" || (to === "local" && localMode)) return false;
  if (!(await hasEmbeddedDatabase(db, dataFolder))) return false;
  const needsBase =
    (await storesChanges(db, { dataFolder })) && !(await followsBackup(db, dataFolder));
  const [row] = await db.execute<{ isDue: boolean }>(sql`
    with today as (
      select date_trunc('day', now) + make_interval(hours => ${hour})
        - case when extract(hour from now) < ${hour} then interval '1 day' else '0' end as first, now
      from (select statement_timestamp() at time zone 'UTC' as now) t),
    slot as (
      select date_bin(make_interval(hours => ${every}), now, first) as at from today)
    select exists (
      select from ${companies}, slot where ${needsBase} or created_at < slot.at at time zone 'UTC') and not exists (
      select from ${backups}, slot
      where (started_at >= slot.at at time zone 'UTC' and proved_at is not null and not ${needsBase})
        or started_at > statement_timestamp() - make_interval(mins => ${RETRY_MINUTES})) as "isDue"`);
  return row!.isDue;
}

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
