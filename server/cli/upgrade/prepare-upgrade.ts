import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

import type { BackupReport } from "#server/backup/back-up.ts";
import type { Display } from "#server/cli/display.mjs";
import { CommandError, ShownFailure } from "#server/cli/failures.ts";
import { preparedFolder, readUpgrade, removeUpgrade } from "#server/cli/start/rollback.ts";
import { withDatabaseUnchanged } from "#server/cli/with-database.ts";
import { config } from "#server/config.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { connect } from "#server/db/client.ts";
import { appliedSchema, knownSchema } from "#server/db/schema-version.ts";
import { findProgram } from "#server/gateways/debian-packages.mjs";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { cloneCluster } from "#server/postgres/clone-cluster.ts";
import { clusterFolder, majorOf } from "#server/postgres/cluster.ts";
import { exitCodeOf } from "#server/processes/child-exit.ts";
import { programFile } from "#server/processes/program-file.ts";

/** Moving a database to another major version of Postgres takes half a minute per gigabyte on an idle machine. */
const PATIENCE_MS_PER_GB = 120_000;

const GB = 1024 ** 3;

export type Preparation = {
  /** Whether this version changes the schema. */
  migrates: boolean;
  backup: BackupResult;
  /** How much longer than usual the first start of this version may take. */
  patienceMs: number;
};

/**
 * Makes a backup, copies the database for rollback, and allows the next start to upgrade, even if an earlier one failed. The
 * previous version keeps running.
 *
 * @param backup the destination; undefined for the configured one, false for no backup
 */
export async function prepareUpgrade(
  { backup, json }: { backup: string | false | undefined; json: boolean },
  display: Display,
): Promise<Preparation> {
  const { dataFolder } = config();
  return withDatabaseUnchanged(dataFolder, async (url) => {
    const applied = await appliedSchema(url);
    if (applied !== null && applied > knownSchema())
      throw new CommandError(
        "A newer version of Posthouse has used this database. Run upgrade with that version, or a newer one",
      );
    const done = backup === false ? null : await backUpBefore(url, { to: backup, json }, display);
    const migrates = applied !== knownSchema();
    const changesMajor = (await majorOf(clusterFolder(dataFolder))) !== POSTGRES_MAJOR;
    const changes = migrates || changesMajor;
    if (changes)
      await display.step("Copy the database for rollback", () =>
        cloneCluster(url, clusterFolder(dataFolder), preparedFolder(dataFolder)),
      );
    if (readUpgrade(dataFolder)?.failure) await removeUpgrade(dataFolder);
    const patienceMs = changes ? ((await databaseBytes(url)) / GB) * PATIENCE_MS_PER_GB : 0;
    return { migrates, backup: done, patienceMs };
  });
}

async function databaseBytes(url: string): Promise<number> {
  const connection = connect(url, { max: 1 });
  try {
    const [row] = await connection.sql<[{ bytes: number }]>`
      select pg_database_size(current_database())::float8 as bytes`;
    return row.bytes;
  } finally {
    await connection.close();
  }
}

const POSTHOUSE = programFile("server/cli/posthouse.ts");

type BackupResult = Pick<BackupReport, "repository" | "snapshot" | "proof"> | null;

/**
 * Backs up the data as it is before the upgrade.
 *
 * @param to the configured place if undefined
 * @returns null if no place is configured
 */
async function backUpBefore(
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
    return findProgram("restic") ? null : "restic isn't installed";
  } finally {
    await connection.close();
  }
}
