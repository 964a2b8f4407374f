import {
  followsBackup,
  readStoredChanges,
  secondsBetween,
  storesChanges,
} from "#server/core/operations/backups/stored-changes.ts";
import { lastBackups } from "#server/core/operations/backups/backups.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

import { failed, type Finding, ok } from "./finding.ts";

const PART = "backup";
/** For a slow repository, and while a backup is being stored. */
const DELAY_MAX_MINUTES = 15;

/** Checks that changes since the last backup are stored. Null if they aren't meant to be, or before the first backup. */
export async function checkChanges(
  db: Db,
  { dataFolder }: Pick<Config, "dataFolder">,
  now = new Date(),
): Promise<Finding | null> {
  if (!(await storesChanges(db, { dataFolder }))) return null;
  const stored = await readStoredChanges(dataFolder);
  if (!stored) return null;
  const reason = stored.error ? `. The last attempt failed: ${stored.error}` : "";
  if (!(await followsBackup(db, dataFolder))) return describeBroken(db, reason);
  const minutes = Math.max(0, Math.floor((now.getTime() - Date.parse(stored.at)) / 60_000));
  const age = pluralize(minutes, "minute");
  const { backup_changes_minutes: every } = await readSettings(db);
  const allowed = Math.ceil(secondsBetween(every, stored) / 60) + DELAY_MAX_MINUTES;
  if (minutes > allowed)
    return failed(
      PART,
      `The newest restore point is ${age} old${reason}`,
      "Check that the destination of backups can be reached. Run `posthouse backup` and fix what it reports",
    );
  return ok(PART, `The newest restore point is ${age} old`);
}

/** A new backup starts within the hour. */
async function describeBroken(db: Db, reason: string): Promise<Finding | null> {
  const { last } = await lastBackups(db);
  if (!last || (last.finishedAt === null && last.ageSeconds < 3600)) return null;
  return failed(
    PART,
    `Changes since the last backup aren't stored${reason}`,
    "The next backup starts within an hour and ends this. Or run `posthouse backup`",
  );
}
