import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Display } from "#server/cli/display.mjs";
import { CommandError, ShownFailure } from "#server/cli/failures.ts";
import { type InstallPaths, installPaths, programIn } from "#server/cli/install/installed-files.ts";
import { isCopy } from "#server/cli/install/place-program.ts";
import { putInPlace } from "#server/cli/install/put-in-place.ts";
import { type ServiceSettings, readSettingsFile } from "#server/cli/install/settings-file.ts";
import { config, type Config } from "#server/config.ts";
import { localUrlHost } from "#server/core/operations/system-checks/local-address.ts";
import { lockFile } from "#server/processes/run-lock.ts";
import { serviceUser } from "#server/processes/service-user.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

import { type Preparation, prepareUpgrade } from "./prepare-upgrade.ts";

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
