import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { ensureCompanion } from "#server/cli/bootstrap/system-packages.mjs";
import type { Display } from "#server/cli/display.mjs";
import { CommandError } from "#server/cli/failures.ts";
import { untilReady } from "#server/cli/running-appliance.ts";
import { findSupervisor } from "#server/cli/start/claim-data-folder.ts";
import { readUpgrade } from "#server/cli/start/rollback.ts";
import { type Config, readConfig } from "#server/config.ts";
import { canReach, type ServiceUser } from "#server/processes/service-user.ts";

import { companionUnits } from "./companions.ts";
import { commandFile, type InstallPaths, unitFile } from "./installed-files.ts";
import { type ServiceManager, serviceManager } from "./service-manager.ts";
import { readSettingsFile, type ServiceSettings, writeSettingsFile } from "./settings-file.ts";

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
  const companions = companionUnits(paths);
  // This version can need more of Debian's packages.
  for (const { name } of companions)
    await display.step(`Packages of ${name}`, () => ensureCompanion(name));
  dropPreviousCopy(paths.program);
  const units = companions.map(({ file }) => file);
  const previous = keepFiles([paths.settings, paths.command, paths.unit, ...units]);
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
  for (const { file, text } of companionUnits(paths))
    writeIfChanged(file, text(config, program), 0o644);
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

const run = promisify(execFile);

/** The project's own folder. */
const ROOT = join(import.meta.dirname, "../../..");

/** Not needed to run. The settings of `docker compose` may contain passwords. */
const LEFT_OUT = new Set(["data", ".git", "bench", "e2e", "test-results", "playwright-report"]);
const COMPOSE_SETTINGS = [".env", "docker/.env"];

/** Hidden from the service (PrivateTmp and ProtectHome in its unit), or emptied at boot. */
const HIDDEN = /^\/(tmp|var\/tmp|dev\/shm|run|home|root)(\/|$)/;

/** Whether a path is hidden from the service. */
export const isHidden = (folder: string) => HIDDEN.test(folder);

/** Marks a copy, which `uninstall` may delete, unlike a clone. */
const COPY_MARK = ".copied-by-install";

/**
 * Makes the program available to the service: this folder, if the service can read it and only root can change it, or
 * else a copy.
 *
 * @param target folder for the copy
 * @param isHiddenFolder whether the service can't see a folder; tests use folders below `/tmp`
 * @returns the program's folder
 */
export async function placeProgram(
  target: string,
  {
    user,
    root = ROOT,
    isHiddenFolder = isHidden,
  }: { user: ServiceUser; root?: string; isHiddenFolder?: (folder: string) => boolean },
): Promise<string> {
  if (root === target) return root;
  const isReadable = !isHiddenFolder(root) && (await canReach(user, [join(root, "package.json")]));
  const isUsable = isReadable && belongsToRoot(root);
  return isUsable ? root : copyTo(target, root);
}

/** Whether only root can replace files in it or in a folder above. */
function belongsToRoot(folder: string): boolean {
  for (let each = folder; ; each = dirname(each)) {
    const { uid, mode } = statSync(each);
    const isSticky = (mode & 0o1000) !== 0;
    if (uid !== 0 || ((mode & 0o022) !== 0 && !isSticky)) return false;
    if (each === dirname(each)) return true;
  }
}

async function copyTo(target: string, root: string): Promise<string> {
  if (existsSync(target) && !isCopy(target))
    throw new CommandError(
      `${target} exists and isn't a copy that install made. Run install from there, or move that folder`,
    );
  const draft = `${target}.new`;
  dropPreviousCopy(target);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o755 });
  const names = readdirSync(root).filter((name) => !LEFT_OUT.has(name));
  const sources = names.map((name) => join(root, name));
  await run("cp", ["-a", "--reflink=auto", "-t", draft, "--", ...sources]);
  // Nothing changes the copy's sources, so commands needn't compare them with the bundles (bundle.mjs).
  for (const file of [...COMPOSE_SETTINGS, "dist/sources"])
    rmSync(join(draft, file), { force: true });
  await run("chown", ["-RhP", "0:0", draft]);
  await run("chmod", ["-R", "u+rwX,go+rX,go-w", draft]);
  writeFileSync(join(draft, COPY_MARK), "");
  if (existsSync(target)) renameSync(target, previousOf(target));
  renameSync(draft, target);
  return target;
}

/** Where the previous copy is kept. */
const previousOf = (target: string) => `${target}.old`;

function dropPreviousCopy(target: string): void {
  rmSync(previousOf(target), { recursive: true, force: true });
}

/** Restores the previous copy, if there is one. */
export function putBackPreviousCopy(target: string): void {
  if (!existsSync(previousOf(target))) return;
  rmSync(target, { recursive: true, force: true });
  renameSync(previousOf(target), target);
}

export const isCopy = (folder: string) => existsSync(join(folder, COPY_MARK));

/** The Node.js that the service runs with. */
async function serviceNode(program: string, user: ServiceUser): Promise<string> {
  const own = join(program, "node_modules/node/bin/node");
  if (existsSync(own)) return own;
  if (await canReach(user, [process.execPath])) return process.execPath;
  throw new CommandError(
    `The user ${user.name} can't run ${process.execPath}. Run \`npm ci\` in ${ROOT}, which installs a Node.js that the user can run`,
  );
}
