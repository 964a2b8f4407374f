import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

import type { Display } from "#server/cli/display.mjs";
import { untilReady } from "#server/cli/running-appliance.ts";
import { findSupervisor } from "#server/cli/start/claim-data-folder.ts";
import { readUpgrade } from "#server/cli/start/rollback.ts";
import { type Config, readConfig } from "#server/config.ts";
import type { ServiceUser } from "#server/processes/service-user.ts";

import { commandFile, type InstallPaths, unitFile } from "./installed-files.ts";
import {
  dropPreviousCopy,
  placeProgram,
  putBackPreviousCopy,
  serviceNode,
} from "./place-program.ts";
import { type ServiceManager, serviceManager } from "./service-manager.ts";
import { type ServiceSettings, readSettingsFile, writeSettingsFile } from "./settings-file.ts";

/** A slow machine needs a minute for its first start. */
const READY_TIMEOUT_MS = 240_000;

type Installation = {
  settings: ServiceSettings;
  config: Config;
  user: ServiceUser;
  /** How much longer than an ordinary start this one may take. */
  extraMs?: number;
};

/**
 * Puts this version and its settings in place, and restarts the service. If it doesn't get ready, an earlier installation comes back:
 * its program, settings and unit. Its database returns when it starts.
 *
 * @throws Error with the reason, after the return
 */
export async function putInPlace(
  paths: InstallPaths,
  installation: Installation,
  display: Display,
): Promise<void> {
  const { config } = installation;
  const manager = serviceManager(paths, config.dataFolder);
  dropPreviousCopy(paths.program);
  const previous = keepFiles([paths.settings, paths.command, paths.unit]);
  const putBack = () => {
    putBackPreviousCopy(paths.program);
    previous.putBack();
  };
  await display
    .step("Program", () => writeFiles(paths, installation, manager))
    .catch((error: unknown) => {
      putBack();
      throw error;
    });
  try {
    await start(config, manager, {
      display,
      title: "Posthouse",
      isNew: true,
      timeoutMs: READY_TIMEOUT_MS + (installation.extraMs ?? 0),
    });
  } catch (error) {
    if (previous.has(paths.command)) {
      putBack();
      const before = usePreviousSettings(paths, installation);
      await start(before, manager, {
        display,
        title: "Return to the previous version",
        isNew: false,
        timeoutMs: READY_TIMEOUT_MS,
      });
    }
    throw error;
  }
  dropPreviousCopy(paths.program);
}

/** This process, and the service if it starts it, has the settings of the new installation until now. */
function usePreviousSettings(paths: InstallPaths, { settings }: Installation): Config {
  for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, readSettingsFile(paths.settings));
  return readConfig(process.env);
}

async function start(
  config: Config,
  manager: ServiceManager,
  {
    display,
    title,
    isNew,
    timeoutMs,
  }: { display: Display; title: string; isNew: boolean; timeoutMs: number },
): Promise<void> {
  await display.step("Service", () => manager.start().then(() => describe(manager)));
  const check = startWatch(config.dataFolder, isNew);
  await display.step(title, () =>
    untilReady(config, { timeoutMs, check }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${reason}. See the log: ${manager.logCommand}`, { cause: error });
    }),
  );
}

/** Notices that a start failed, which the service manager repeats in vain. */
function startWatch(dataFolder: string, isNew: boolean): () => Promise<void> {
  let wasRunning = false;
  return async () => {
    const record = isNew ? readUpgrade(dataFolder) : null;
    if (record?.failure) throw new Error(`the upgrade failed: ${record.failure}`);
    const isRunning = (await findSupervisor(dataFolder)) !== null;
    if (wasRunning && !isRunning) throw new Error("it ended while it started");
    wasRunning ||= isRunning;
  };
}

async function writeFiles(
  paths: InstallPaths,
  { settings, config, user }: Installation,
  manager: ServiceManager,
): Promise<string> {
  const program = await placeProgram(paths.program, { user });
  const node = await serviceNode(program, user);
  writeSettingsFile(paths.settings, settings, user.gid);
  const places = { node, program, settings: paths.settings, user: user.name };
  writeIfChanged(paths.command, commandFile(places), 0o755);
  if (manager.name === "systemd")
    writeIfChanged(paths.unit, unitFile({ ...places, dataFolder: config.dataFolder }), 0o644);
  return program;
}

/** Replaces a symbolic link, such as that of `npm link`, and not the file that it leads to. */
function writeIfChanged(file: string, text: string, mode: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  if (isFile && readFileSync(file, "utf8") === text) return;
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { flag: "wx" });
  chmodSync(draft, mode);
  renameSync(draft, file);
}

const describe = ({ name }: ServiceManager) =>
  name === "systemd"
    ? "posthouse.service, starts at boot"
    : "started in the background. systemd doesn't run here, so nothing starts it at boot";

type Kept = { text: Buffer; mode: number; uid: number; gid: number };

/** Remembers small files that are about to be replaced. Those that don't exist are not remembered. */
function keepFiles(files: string[]): { has(file: string): boolean; putBack(): void } {
  const kept = new Map<string, Kept>();
  for (const file of files) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile())
      kept.set(file, {
        text: readFileSync(file),
        mode: found.mode,
        uid: found.uid,
        gid: found.gid,
      });
  }
  return {
    has: (file) => kept.has(file),
    putBack() {
      for (const [file, { text, mode, uid, gid }] of kept) {
        const draft = `${file}.new`;
        rmSync(draft, { force: true });
        writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
        chownSync(draft, uid, gid);
        chmodSync(draft, mode & 0o777);
        renameSync(draft, file);
      }
    },
  };
}
