import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import type { BackupReport } from "#server/backup/back-up.ts";
import { Display } from "#server/cli/display.mjs";
import { CommandError, ShownFailure } from "#server/cli/failures.ts";
import { type InstallPaths, installPaths, programIn } from "#server/cli/install/installed-files.ts";
import { isCopy, putInPlace } from "#server/cli/install/put-in-place.ts";
import { readSettingsFile, type ServiceSettings } from "#server/cli/install/settings-file.ts";
import { preparedFolder, readUpgrade, removeUpgrade } from "#server/cli/start/rollback.ts";
import { withDatabaseUnchanged } from "#server/cli/with-database.ts";
import { config, type Config } from "#server/config.ts";
import { localUrlHost } from "#server/core/operations/system-checks/local-address.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { connect } from "#server/db/client.ts";
import { appliedSchema, knownSchema } from "#server/db/schema-version.ts";
import { findProgram } from "#server/gateways/debian-packages.mjs";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { cloneCluster } from "#server/postgres/clone-cluster.ts";
import { clusterFolder, majorOf } from "#server/postgres/cluster.ts";
import { exitCodeOf } from "#server/processes/child-exit.ts";
import { programFile } from "#server/processes/program-file.ts";
import { lockFile } from "#server/processes/run-lock.ts";
import { serviceUser } from "#server/processes/service-user.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

const ROOT = join(import.meta.dirname, "../../..");

export type UpgradeOptions = {
  /** Where to back up to: the configured place if undefined, nowhere if false. */
  backup: string | false | undefined;
  json: boolean;
  /** Root folder of the installation, for tests. */
  root: string | undefined;
};

export type UpgradeReport = Omit<Preparation, "patienceMs"> & {
  version: string;
  /** Whether the service runs this version now. */
  upgraded: boolean;
  /** How long the web port didn't answer. */
  outage_seconds: number | null;
};

/**
 * Upgrades to this version: backs up, copies the database for rollback, and restarts the service if there is one. If it doesn't become
 * ready, goes back to the previous version.
 *
 * @throws CommandError or ShownFailure
 */
export async function upgrade(options: UpgradeOptions): Promise<UpgradeReport> {
  const display = new Display(options.json ? process.stderr : process.stdout);
  try {
    return await upgradeShown(options, display);
  } catch (error) {
    throw display.wasShown(error) ? new ShownFailure() : error;
  }
}

async function upgradeShown(options: UpgradeOptions, display: Display): Promise<UpgradeReport> {
  const paths = installPaths(options.root);
  const settings = findService(paths);
  if (settings && programIn(readFileSync(paths.command, "utf8")) === ROOT)
    display.warning(
      "The service runs from this folder, which no longer has the previous version. If the upgrade fails, only the database is " +
        "rolled back: check out the previous version and restart the service",
    );
  if (config().databaseUrl)
    throw new CommandError(
      "Posthouse doesn't copy the database of DATABASE_URL. Back it up, then restart Posthouse with this version",
    );
  const lock = await lockFile(join(config().dataFolder, "upgrade.lock"), { waitMs: 0 });
  if (!lock) throw new CommandError("Another upgrade is running");
  try {
    return await upgradeLocked(options, { paths, settings }, display);
  } finally {
    lock.release();
  }
}

async function upgradeLocked(
  options: UpgradeOptions,
  { paths, settings }: { paths: InstallPaths; settings: ServiceSettings | null },
  display: Display,
): Promise<UpgradeReport> {
  const { patienceMs, ...preparation } = await prepareUpgrade(options, display);
  const report = { version: softwareVersion(), ...preparation };
  if (!settings) {
    display.line("Restart Posthouse with this version to upgrade");
    return { ...report, upgraded: false, outage_seconds: null };
  }
  const outage = measureOutage(config());
  try {
    const installation = { settings, config: config(), user: await serviceUser() };
    await putInPlace(paths, { ...installation, extraMs: patienceMs }, display);
  } finally {
    outage.stop();
  }
  const seconds = config().roles.has("web") ? outage.seconds() : null;
  display.line(`Upgraded to ${report.version}`);
  if (seconds !== null) display.line(`The web port was unavailable for ${seconds} s`);
  return { ...report, upgraded: true, outage_seconds: seconds };
}

/**
 * The settings of the installed service, which become those of this process.
 *
 * @returns null if there is no service on this data folder
 * @throws CommandError if it already runs this copy, or without root
 */
function findService(paths: InstallPaths): ServiceSettings | null {
  if (!existsSync(paths.command) || !existsSync(paths.settings)) return null;
  if (process.getuid!() !== 0)
    throw new CommandError("Posthouse is installed as a service: run upgrade with sudo");
  const settings = readSettingsFile(paths.settings);
  const { POSTHOUSE_DATA: wanted } = process.env;
  if (wanted && wanted !== settings.POSTHOUSE_DATA) return null;
  if (isCopy(ROOT))
    throw new CommandError(
      "This version is already installed. Get the new one, and run `npx posthouse upgrade` in its folder",
    );
  Object.assign(process.env, settings);
  return settings;
}

const POLL_MS = 100;

/** Measures for how long the web port doesn't answer. */
function measureOutage({ bind, ports }: Config): { stop(): void; seconds(): number } {
  const url = `http://${localUrlHost(bind)}:${ports.web}/healthz`;
  let isOver = false;
  let answeredAt = performance.now();
  let longestMs = 0;
  void (async () => {
    while (!isOver) {
      const isUp = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      const now = performance.now();
      if (isUp) {
        longestMs = Math.max(longestMs, now - answeredAt);
        answeredAt = now;
      }
      await sleep(POLL_MS);
    }
  })();
  return {
    stop() {
      isOver = true;
    },
    seconds: () => Math.round(longestMs / 100) / 10,
  };
}

/** Moving a database to another major version of Postgres takes half a minute per gigabyte on an idle machine. */
const PATIENCE_MS_PER_GB = 120_000;

const GB = 1024 ** 3;

type Preparation = {
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
async function prepareUpgrade(
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
