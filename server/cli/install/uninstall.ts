import { execFile } from "node:child_process";
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { promisify } from "node:util";

import { CommandError } from "#server/cli/failures.ts";
import { Display } from "#server/cli/display.mjs";
import { removeTree } from "#server/processes/open-no-follow.ts";
import { SERVICE_USER } from "#server/processes/service-user.ts";

import { removeCompanions } from "./companions.ts";
import type { InstallPaths } from "./installed-files.ts";
import { isCopy } from "./put-in-place.ts";
import { requireDataFolder } from "./data-folder.ts";
import { serviceManager } from "./service-manager.ts";
import { readSettingsFile } from "./settings-file.ts";

const run = promisify(execFile);

export type UninstallOptions = {
  /** Also deletes mail, database, keys, settings and the service user. */
  deleteData: boolean;
  /** Doesn't ask before deleting data. */
  yes: boolean;
};

/** Stops the service and deletes what `install` created. Keeps data and settings unless told otherwise. */
export async function uninstall(paths: InstallPaths, options: UninstallOptions): Promise<void> {
  if (process.getuid!() !== 0) throw new CommandError("uninstall needs root: run it with sudo");
  const settings = readSettingsFile(paths.settings);
  const dataFolder = settings.POSTHOUSE_DATA ?? paths.data;
  if (options.deleteData && existsSync(dataFolder)) requireDataFolder(dataFolder);
  if (options.deleteData && !options.yes)
    await confirmDeletion(dataFolder, settings.POSTHOUSE_HOSTNAME);
  const display = new Display();
  const manager = serviceManager(paths, dataFolder);
  await display.step("Service", async () => {
    await manager.stop();
    await removeCompanions(paths);
    return "stopped";
  });
  await display.step("Files", async () => {
    for (const file of [paths.unit, paths.command]) rmSync(file, { force: true });
    if (manager.name === "systemd") await run("systemctl", ["daemon-reload"]);
    if (options.deleteData) await deleteData(paths, dataFolder);
    // Last, since this program may run from there.
    if (isCopy(paths.program)) rmSync(paths.program, { recursive: true, force: true });
    return "deleted";
  });
  if (!options.deleteData)
    display.line(
      `${dataFolder} and ${paths.settings} are kept. To use them again: posthouse install. To delete them: posthouse uninstall --delete-data`,
    );
}

async function deleteData(paths: InstallPaths, dataFolder: string): Promise<void> {
  if (existsSync(dataFolder)) await deleteFolder(dataFolder);
  rmSync(dirname(paths.settings), { recursive: true, force: true });
  // userdel(8) also deletes the user's group unless it has members, so posthouse, a member of webmail's, goes first.
  for (const user of [SERVICE_USER, "posthouse-webmail"])
    // Fails if there is no such user, or if one of its processes still runs.
    await run("userdel", [user]).catch(() => {});
}

/** Deletes a folder; one that a disk is mounted on is emptied. */
export async function deleteFolder(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) await removeTree(join(folder, name));
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EBUSY")) throw error;
  }
}

async function confirmDeletion(dataFolder: string, hostname = "posthouse"): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CommandError(`--delete-data deletes ${dataFolder} with all mail. Confirm with --yes`);
  const dialog = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const question = `This deletes ${dataFolder} with all mail, the database and the keys. Type ${hostname} to confirm: `;
    if ((await dialog.question(question)).trim() !== hostname)
      throw new CommandError("Nothing was deleted");
  } finally {
    dialog.close();
  }
}
