import { sql } from "drizzle-orm";

import { backups, companies } from "#drizzle/schema/index.ts";
import type { Config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { hasEmbeddedDatabase } from "./has-embedded-database.ts";
import { followsBackup, storesChanges } from "./stored-changes.ts";

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
