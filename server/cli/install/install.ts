import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

import { CommandError } from "#server/cli/command-error.ts";
import { Display } from "#server/cli/display.mjs";
import { ShownFailure } from "#server/cli/shown-failure.ts";
import { type Config, readConfig } from "#server/config.ts";
import type { Finding } from "#server/core/operations/system-checks/finding.ts";
import { serviceUser, type ServiceUser } from "#server/processes/service-user.ts";

import { checkMachine } from "./check-machine.ts";
import { chooseHostname } from "./choose-hostname.ts";
import { commandFile } from "./command-file.ts";
import type { InstallPaths } from "./install-paths.ts";
import { placeProgram, serviceNode } from "./place-program.ts";
import { prepareDataFolder } from "./prepare-data-folder.ts";
import { reportResult } from "./report-result.ts";
import { type ServiceManager, serviceManager } from "./service-manager.ts";
import {
  readSettingsFile,
  serviceSettings,
  type Settings,
  writeSettingsFile,
} from "./settings-file.ts";
import { unitFile } from "./unit-file.ts";
import { untilReady } from "./until-ready.ts";

export type InstallOptions = {
  hostname?: string;
  dataFolder?: string;
  /** Other settings, by variable. */
  settings: Settings;
  /** How long to wait for DNS records; 0 doesn't wait. */
  waitMs: number;
  json: boolean;
};

/**
 * Installs Posthouse as a service, or updates the installation: checks the machine, writes the settings and the systemd
 * unit, starts it, and prints what is left to do. Safe to run again.
 *
 * @throws CommandError or ShownFailure if it can't be installed
 */
export async function install(paths: InstallPaths, options: InstallOptions): Promise<void> {
  if (process.getuid!() !== 0) throw new CommandError("install needs root: run it with sudo");
  const display = new Display(options.json ? process.stderr : process.stdout);
  try {
    await installShown(paths, options, display);
  } catch (error) {
    throw display.wasShown(error) ? new ShownFailure() : error;
  }
}

async function installShown(paths: InstallPaths, options: InstallOptions, display: Display) {
  const known = readSettingsFile(paths.settings);
  const hostname = await chooseHostname(options.hostname ?? known.POSTHOUSE_HOSTNAME);
  const settings = serviceSettings(known, {
    chosen: {
      ...options.settings,
      POSTHOUSE_HOSTNAME: hostname,
      ...(options.dataFolder && { POSTHOUSE_DATA: options.dataFolder }),
    },
    dataFolder: paths.data,
  });
  // The functions that read settings find those of the service.
  Object.assign(process.env, settings);
  const config = readConfig(process.env);

  const user = await serviceUser();
  await prepareDataFolder(config.dataFolder, user);
  const findings = await checkMachine(config, display);
  const manager = serviceManager(paths, config.dataFolder);
  await display.step("Program", () => writeFiles(paths, { settings, config, user, manager }));
  await display.step("Service", () => manager.start().then(() => describe(manager)));
  await display.step("Posthouse", () => untilReady(config, manager));
  await reportResult(config, { findings: problemsOf(findings), display, ...options });
}

const problemsOf = (findings: Finding[]) => findings.filter(({ state }) => state !== "ok");

async function writeFiles(
  paths: InstallPaths,
  {
    settings,
    config,
    user,
    manager,
  }: { settings: Settings; config: Config; user: ServiceUser; manager: ServiceManager },
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
