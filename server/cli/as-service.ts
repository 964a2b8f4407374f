import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

import { config, type Config } from "#server/config.ts";
import { clusterFolder, hasCluster } from "#server/postgres/cluster.ts";
import { exitCodeOf } from "#server/processes/child-exit.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";

import { Display } from "./display.mjs";
import { CommandError, ShownFailure } from "./failures.ts";
import { prepareDataFolder } from "./install/data-folder.ts";
import { type InstallPaths, installPaths } from "./install/installed-files.ts";
import { serviceManager } from "./install/service-manager.ts";
import { readSettingsFile } from "./install/settings-file.ts";
import { untilReady } from "./running-appliance.ts";

/** A command of this program with its options, by the names that commander gives them. */
type Command = { name: string; options: Record<string, string | boolean | undefined> };

/**
 * Runs this program again as the service user, until it exits. The user may have no access to the current folder, so paths in
 * the options must be absolute.
 *
 * @param dataFolder that the command must reach
 * @param isQuiet whether to return the command's output instead of showing it
 * @throws ShownFailure if it fails; CommandError with the reason if it was quiet
 */
export async function runAsService(
  { name, options }: Command,
  {
    dataFolder,
    env,
    isQuiet = false,
  }: { dataFolder: string; env: Record<string, string>; isQuiet?: boolean },
): Promise<string> {
  const program = process.argv[1]!;
  const { command, args } = await asServiceUser(
    { command: process.execPath, args: [program, name, ...flags(options)] },
    { paths: [process.execPath, program, dataFolder], deathSignal: "TERM" },
  );
  const child = spawn(command, args, {
    cwd: "/",
    env: { ...process.env, ...env, POSTHOUSE_DATA: dataFolder },
    stdio: ["inherit", isQuiet ? "pipe" : "inherit", isQuiet ? "pipe" : "inherit"],
  });
  const [code, output, complaint] = await Promise.all([
    exitCodeOf(child),
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
  ]);
  if (code === 0) return output;
  if (!isQuiet) throw new ShownFailure();
  const reason = complaint
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^posthouse: /, "");
  throw new CommandError(reason || `exit code ${code}`);
}

const flags = (options: Command["options"]) =>
  Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value === "string") return [flag, value];
    return value ? [flag] : [];
  });

export type RestoreFlags = {
  from?: string;
  at?: string;
  keyFile?: string;
  list?: boolean;
  mailbox?: string;
  folder?: string;
  replace?: boolean;
  release?: boolean;
  check?: boolean;
  copy?: boolean;
  root?: string;
  json?: boolean;
};

/**
 * Runs the command as the service user if root may not: root must not work in folders that the services can write to. Returns
 * whether it did.
 */
export async function restoreAsService(options: RestoreFlags): Promise<boolean> {
  if (process.getuid!() !== 0) return false;
  if (!options.list && !options.mailbox) await recreateDataFolder(options);
  if (isOfService(config().dataFolder)) await runUnprivileged(options);
  else if (options.mailbox) await restoreMailUnprivileged(options);
  else return false;
  return true;
}

/** Whether the data folder isn't root's, but that of an installed service. */
const isOfService = (dataFolder: string) =>
  (statSync(dataFolder, { throwIfNoEntry: false })?.uid ?? 0) !== 0;

/** The service must be able to use what is restored into its data folder. */
async function recreateDataFolder({ root }: RestoreFlags): Promise<void> {
  const { dataFolder } = config();
  if (existsSync(dataFolder)) return;
  if (!isOfInstallation(installPaths(root), dataFolder)) return;
  await prepareDataFolder(dataFolder, await serviceUser());
}

/** An installed service's data folder: the service user must be able to use what is restored. */
async function runUnprivileged(options: RestoreFlags): Promise<void> {
  const work = async () => {
    await runRestoreAsService(options);
  };
  if (options.list || options.mailbox) return work();
  // Rejects bad arguments while the service is still running.
  await runRestoreAsService({ ...options, check: true });
  await whileStopped(installPaths(options.root), config(), work);
}

/** Root's appliance: only root may read the database's password, and only the service user the mail. */
async function restoreMailUnprivileged(options: RestoreFlags): Promise<void> {
  const { withDatabase } = await import("#server/cli/with-database.ts");
  await withDatabase((_, url) => runRestoreAsService(options, { env: { DATABASE_URL: url } }));
}

/** Runs this command again as the service user. Only root may read the key's file. */
export async function runRestoreAsService(
  options: RestoreFlags,
  { env = {}, isQuiet = false }: { env?: Record<string, string>; isQuiet?: boolean } = {},
): Promise<string> {
  const { keyFile, from } = options;
  const { absoluteTarget } = await import("#server/backup/repository.ts");
  const key: Record<string, string> = keyFile
    ? { POSTHOUSE_BACKUP_KEY: readKey(() => readFileSync(keyFile, "utf8")) }
    : {};
  return runAsService(
    {
      name: "restore",
      options: {
        ...options,
        from: from && absoluteTarget(from),
        keyFile: undefined,
        root: undefined,
      },
    },
    { dataFolder: config().dataFolder, env: { ...env, ...key }, isQuiet },
  );
}

/** @throws CommandError with where to get the recovery key */
export function readKey(read: () => string): string {
  try {
    return read().trim();
  } catch (error) {
    throw new CommandError(
      "No recovery key: set POSTHOUSE_BACKUP_KEY, or pass --key-file with the key that `posthouse backup` printed",
      { cause: error },
    );
  }
}

/** Larger databases take minutes after a restore. */
const READY_TIMEOUT_MS = 240_000;

/**
 * Stops the installed service if it uses this data folder, and starts it after the work. If the work fails, starts it only if it was
 * running before and has a database.
 */
async function whileStopped(
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
function isOfInstallation(paths: InstallPaths, dataFolder: string): boolean {
  const { POSTHOUSE_DATA: installed = paths.data } = readSettingsFile(paths.settings);
  return existsSync(paths.command) && resolve(installed) === dataFolder;
}
