import { sql } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { hasEmbeddedDatabase } from "#server/core/operations/backups/stored-changes.ts";
import { type LastBackups, lastBackups } from "#server/core/operations/backups/backups.ts";
import type { Config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import { DEBIAN_PACKAGES, findProgram, installCommand } from "#server/gateways/debian-packages.mjs";

import { checkChanges } from "./check-changes.ts";
import { combineFindings, failed, type Finding, ok, unknown, warning } from "./finding.ts";

const PART = "backup";
/** For a large backup to finish. */
const DURATION_MAX_HOURS = 2;

/**
 * Checks that a backup from the last 26 hours (by default) was restored and verified, and that restore points have
 * been stored since.
 */
export async function checkBackup(
  db: Db,
  config: Pick<Config, "localMode" | "dataFolder">,
): Promise<Finding> {
  const changes = await checkChanges(db, config);
  const backup = await checkLastBackup(db, config);
  return changes ? combineFindings(PART, [backup, changes]) : backup;
}

async function checkLastBackup(
  db: Db,
  { localMode, dataFolder }: Pick<Config, "localMode" | "dataFolder">,
): Promise<Finding> {
  const runs = await lastBackups(db);
  const { backup_to: to, backup_every_hours: every } = await readSettings(db);
  const maxAge = every + DURATION_MAX_HOURS;
  if (runs.proved && hours(runs.proved) < maxAge) return describeRecent(runs, dataFolder);
  if (localMode && !runs.last?.error)
    return ok(PART, "Local mode has no nightly backup. Run `posthouse backup` to make one");
  if (!(await hasEmbeddedDatabase(db, dataFolder)))
    return warning(
      PART,
      "Posthouse doesn't back up the database of DATABASE_URL",
      "Back up that database first, then the data folder",
    );
  if (to === "off")
    return warning(
      PART,
      "The nightly backup is off",
      "Turn it on: posthouse settings set backup_to sftp://user@host/path",
    );
  if (!findProgram("restic"))
    return failed(
      PART,
      "restic isn't installed, so there are no backups",
      `Run \`${installCommand(DEBIAN_PACKAGES.backups)}\``,
    );
  return describeMissing(db, runs, maxAge);
}

/** Whether the appliance is younger than the first backup may be. */
async function isNew(db: Db, maxAge: number): Promise<boolean> {
  const [row] = await db.execute<{ isNew: boolean }>(sql`
    select not exists (select from ${companies}
      where created_at < statement_timestamp() - make_interval(hours => ${maxAge})) as "isNew"`);
  return row!.isNew;
}

async function describeMissing(
  db: Db,
  { last, proved }: LastBackups,
  maxAge: number,
): Promise<Finding> {
  if (!last && (await isNew(db, maxAge)))
    return unknown(
      PART,
      "No backup yet",
      "The first one starts automatically. Or run `posthouse backup`",
    );
  const reason = last?.error ? `The last one failed: ${last.error}` : null;
  const advice = "Run `posthouse backup` and fix what it reports";
  const found = proved
    ? `The last verified backup is ${pluralize(Math.floor(hours(proved)), "hour")} old`
    : "No backup has been verified";
  return failed(PART, reason ? `${found}. ${reason}` : found, advice);
}

function describeRecent({ last, proved }: LastBackups, dataFolder: string): Finding {
  const age = Math.floor(hours(proved!));
  const when = age === 0 ? "less than an hour ago" : `${pluralize(age, "hour")} ago`;
  const found = `Backed up ${when} to ${proved!.repository}. Verified: ${proved!.proof ?? ""}`;
  if (last?.error)
    return warning(PART, `${found}. The last run failed: ${last.error}`, "Run `posthouse backup`");
  if (proved!.repository.startsWith(`${dataFolder}/`))
    return warning(
      PART,
      `${found}. It's on the same disk as the data`,
      "Back up to another machine: posthouse settings set backup_to sftp://user@host/path",
    );
  return ok(PART, found);
}

const hours = ({ ageSeconds }: { ageSeconds: number }) => ageSeconds / 3600;
