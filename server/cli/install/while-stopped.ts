import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { Display } from "#server/cli/display.mjs";
import { untilReady } from "#server/cli/until-ready.ts";
import type { Config } from "#server/config.ts";
import { clusterFolder, hasCluster } from "#server/postgres/cluster.ts";

import type { InstallPaths } from "./install-paths.ts";
import { serviceManager } from "./service-manager.ts";
import { readSettingsFile } from "./settings-file.ts";

/** Larger databases take minutes after a restore. */
const READY_TIMEOUT_MS = 240_000;

/**
 * Stops the installed service if it uses this data folder, and starts it after the work. If the work fails, starts it only if it was
 * running before and has a database.
 */
export async function whileStopped(
  paths: InstallPaths,
  config: Config,
  work: () => Promise<void>,
): Promise<void> {
  if (!isOfInstallation(paths, config.dataFolder)) return work();
  const display = new Display(process.stderr);
  const manager = serviceManager(paths, config.dataFolder);
  let isWanted = await manager.isRunning();
  if (isWanted) await display.step("Service", () => manager.stop().then(() => "stopped"));
  try {
    await work();
    isWanted = true;
  } catch (error) {
    if (isWanted && !(await hasCluster(clusterFolder(config.dataFolder)))) {
      display.warning(
        "The service wasn't started because there is no database. Run the restore again",
      );
      isWanted = false;
    }
    throw error;
  } finally {
    if (isWanted) {
      await display.step("Service", () => manager.start().then(() => "started"));
      await display.step("Posthouse", () => untilReady(config, { timeoutMs: READY_TIMEOUT_MS }));
    }
  }
}

/** Whether a data folder is that of the installed service, even if it is missing. */
export function isOfInstallation(paths: InstallPaths, dataFolder: string): boolean {
  const { POSTHOUSE_DATA: installed = paths.data } = readSettingsFile(paths.settings);
  return existsSync(paths.command) && resolve(installed) === dataFolder;
}
