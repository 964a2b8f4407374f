import { CommandError } from "#server/cli/command-error.ts";
import { Display } from "#server/cli/display.mjs";
import { ShownFailure } from "#server/cli/shown-failure.ts";
import { readConfig } from "#server/config.ts";
import type { Finding } from "#server/core/operations/system-checks/finding.ts";
import { serviceUser } from "#server/processes/service-user.ts";

import { checkMachine } from "./check-machine.ts";
import { chooseHostname } from "./choose-hostname.ts";
import type { InstallPaths } from "./install-paths.ts";
import { prepareDataFolder } from "./prepare-data-folder.ts";
import { putInPlace } from "./put-in-place.ts";
import { requireReadableCertificate } from "./require-readable-certificate.ts";
import { reportResult } from "./report-result.ts";
import { readSettingsFile, serviceSettings, type Settings } from "./settings-file.ts";

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
  await requireReadableCertificate(config, user);
  await prepareDataFolder(config.dataFolder, user);
  const findings = await checkMachine(config, display);
  await putInPlace(paths, { settings, config, user }, display);
  await reportResult(config, { findings: problemsOf(findings), display, ...options });
}

const problemsOf = (findings: Finding[]) => findings.filter(({ state }) => state !== "ok");
