import { execFileSync } from "node:child_process";
import { createInterface } from "node:readline/promises";

import { Display } from "#server/cli/display.mjs";
import { CommandError, ShownFailure } from "#server/cli/failures.ts";
import { showFinding } from "#server/cli/doctor.ts";
import { findSupervisor } from "#server/cli/start/claim-data-folder.ts";
import { requireFreePorts } from "#server/cli/start/require-free-ports.ts";
import { type Config, readConfig } from "#server/config.ts";
import { checkBlocklists } from "#server/core/operations/system-checks/check-blocklists.ts";
import { checkMachineClock } from "#server/core/operations/system-checks/check-clock.ts";
import { checkDns } from "#server/core/operations/system-checks/check-dns.ts";
import { checkDisk, checkMemory } from "#server/core/operations/system-checks/check-machine.ts";
import { checkOutboundPort } from "#server/core/operations/system-checks/check-outbound-port.ts";
import { checkReverseDns } from "#server/core/operations/system-checks/check-reverse-dns.ts";
import type { Finding } from "#server/core/operations/system-checks/finding.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { serviceUser } from "#server/processes/service-user.ts";

import { prepareDataFolder, requireReadableCertificate } from "./data-folder.ts";
import type { InstallPaths } from "./installed-files.ts";
import { putInPlace } from "./put-in-place.ts";
import { reportResult } from "./report-result.ts";
import { type ServiceSettings, readSettingsFile, serviceSettings } from "./settings-file.ts";

export type InstallOptions = {
  hostname?: string;
  dataFolder?: string;
  /** Other settings, by variable. */
  settings: ServiceSettings;
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

/** The given hostname; in a terminal asks for it if there is none. */
async function chooseHostname(given: string | undefined): Promise<string> {
  if (given) return given.toLowerCase();
  if (!process.stdin.isTTY)
    throw new CommandError("Pass the mail hostname: posthouse install --hostname mail.example.com");
  const suggested = machineName();
  const dialog = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const hint = suggested ? ` [${suggested}]` : ", such as mail.example.com";
    const answer = (await dialog.question(`Mail hostname${hint}: `)).trim();
    const hostname = answer || suggested;
    if (!hostname) throw new CommandError("Enter a mail hostname, such as mail.example.com");
    return hostname.toLowerCase();
  } finally {
    dialog.close();
  }
}

/** The machine's full name, if it has one with a dot. */
function machineName(): string {
  try {
    const name = execFileSync("hostname", ["-f"], { encoding: "utf8", timeout: 5_000 }).trim();
    return /\./.test(name) && !name.endsWith(".localdomain") ? name : "";
  } catch {
    return "";
  }
}

/**
 * Checks what the service needs from this machine and its network, and shows each finding. Problems outside the machine,
 * such as DNS, don't stop the installation, since they can be solved while it runs.
 *
 * @throws CommandError if a port is in use or the disk is full
 */
async function checkMachine(config: Config, display: Display): Promise<Finding[]> {
  await display.step("Ports", async () => {
    const running = await findSupervisor(config.dataFolder);
    return running
      ? `in use by Posthouse itself (${running})`
      : (await requireFreePorts(config)).join(", ");
  });
  const resolver = createResolver(config);
  const disk = await checkDisk(config);
  const findings = [
    checkMemory(),
    ...(await Promise.all([
      checkDns(config, resolver, []),
      checkMachineClock(resolver),
      checkOutboundPort(config, resolver),
      checkReverseDns(config, resolver),
      checkBlocklists(config, resolver),
    ])),
    disk,
  ];
  for (const finding of findings) showFinding(display, finding);
  if (disk.state === "failed") throw new CommandError(`disk: ${disk.found}. ${disk.advice ?? ""}`);
  return findings;
}
