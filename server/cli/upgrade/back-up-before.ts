import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

import type { BackupReport } from "#server/backup/back-up.ts";
import type { Display } from "#server/cli/display.mjs";
import { ShownFailure } from "#server/cli/shown-failure.ts";
import { config } from "#server/config.ts";
import { hasRestic } from "#server/core/operations/system-checks/check-backup.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { connect } from "#server/db/client.ts";
import { exitCodeOf } from "#server/processes/child-exit.ts";
import { programFile } from "#server/processes/program-file.ts";

const POSTHOUSE = programFile("server/cli/posthouse.ts");

export type BackupResult = Pick<BackupReport, "repository" | "snapshot" | "proof"> | null;

/**
 * Backs up the data as it is before the upgrade.
 *
 * @param to the configured place if undefined
 * @returns null if no place is configured
 */
export async function backUpBefore(
  url: string,
  { to, json }: { to: string | undefined; json: boolean },
  display: Display,
): Promise<BackupResult> {
  if (to === undefined) {
    const reason = await reasonForNone(url);
    if (reason) {
      display.warning(`No backup: ${reason}`);
      return null;
    }
  }
  const args = [POSTHOUSE, "backup", "--json", ...(to === undefined ? [] : ["--to", to])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", json ? "inherit" : 1] });
  const [code, report] = await Promise.all([exitCodeOf(child), text(child.stdout!)]);
  if (code !== 0) throw new ShownFailure();
  const { repository, snapshot, proof } = JSON.parse(report) as BackupReport;
  return { repository, snapshot, proof };
}

async function reasonForNone(url: string): Promise<string | null> {
  const connection = connect(url, { max: 1 });
  try {
    const [found] = await connection.sql<[{ backups: string | null }]>`
      select to_regclass('backups')::text as backups`;
    if (found.backups === null) return "the previous version has no backups";
    const { backup_to: to } = await readSettings(connection.db);
    if (to === "off") return "the setting backup_to is off";
    if (to !== "local") return null;
    if (config().localMode) return "local mode has no destination unless you set backup_to";
    return (await hasRestic()) ? null : "restic isn't installed";
  } finally {
    await connection.close();
  }
}
