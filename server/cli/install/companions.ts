import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { ensureCompanion } from "#server/cli/bootstrap/system-packages.mjs";
import { Display } from "#server/cli/display.mjs";
import { CommandError } from "#server/cli/failures.ts";
import { type Config, readConfig } from "#server/config.ts";
import { localAddress, localUrlHost } from "#server/core/operations/system-checks/local-address.ts";
import { createFolder, giveTo, setFolderMode } from "#server/processes/open-no-follow.ts";
import { ensureUser, SERVICE_USER, serviceUser } from "#server/processes/service-user.ts";

import { type InstallPaths, isUnderHome, programIn } from "./installed-files.ts";
import { readSettingsFile, writeSettingsFile } from "./settings-file.ts";

const run = promisify(execFile);
const systemctl = (...args: string[]) => run("systemctl", args);

/** A program from Debian's packages that runs as a service beside Posthouse. */
type Companion = {
  title: string;
  setting: string;
  /** What it serves. */
  path: string;
  /** Its data, below the data folder. Also has its socket. */
  folder: string;
  folderMode: number;
  /** Undefined: runs as Posthouse's user. */
  user?: string;
  environment: (config: Config) => Record<string, string>;
  /** Lines of its unit. */
  network: (config: Config) => string;
};

const COMPANIONS = {
  webmail: {
    title: "webmail",
    setting: "POSTHOUSE_WEBMAIL",
    path: "/webmail",
    folder: "webmail",
    // Webmail creates the socket and the database that Posthouse uses, and Posthouse restores the database.
    folderMode: 0o2770,
    user: "posthouse-webmail",
    environment: ({ bind, ports, baseUrl }) => {
      const at = (port: number) => `${localUrlHost(bind)}:${port}`;
      return {
        WEBMAIL_DATA: "/run/posthouse-webmail/data",
        WEBMAIL_RUN: "/run/posthouse-webmail/run",
        WEBMAIL_IMAP: at(ports.imaps),
        WEBMAIL_SMTP: at(ports.submissions),
        POSTHOUSE_APPLIANCE: `https://${at(ports.web)}`,
        POSTHOUSE_HOSTNAME: new URL(baseUrl).host,
      };
    },
    network: ({ bind }) => `RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
# It connects only to Posthouse.
IPAddressDeny=any
IPAddressAllow=localhost ${localAddress(bind)}`,
  },
  calendar: {
    title: "calendars and contacts",
    setting: "POSTHOUSE_CALENDAR",
    path: "/dav",
    folder: "calendars",
    folderMode: 0o700,
    environment: () => ({ CALENDAR_DATA: "/run/posthouse-calendar/data" }),
    network: () => "RestrictAddressFamilies=AF_UNIX\nPrivateNetwork=yes",
  },
} satisfies Record<string, Companion>;

export type CompanionName = keyof typeof COMPANIONS;

const NAMES = Object.keys(COMPANIONS) as CompanionName[];

const unitName = (name: CompanionName) => `posthouse-${name}.service`;
const unitPath = (paths: InstallPaths, name: CompanionName) =>
  join(paths.unit, "..", unitName(name));

/** Installs it from Debian's packages and runs it as a service. Can be repeated to apply changed settings. */
export async function enableCompanion(
  name: CompanionName,
  paths: InstallPaths,
  display = new Display(),
): Promise<void> {
  const { settings, program } = requireInstalled(name, paths, "enable");
  const config = readConfig(settings);
  const { title, setting, path, folder: own, folderMode, user }: Companion = COMPANIONS[name];
  await display.step("Packages", async () => {
    await ensureCompanion(name);
    if (name === "webmail") await disableDebianServices();
  });
  await display.step("Service", async () => {
    const folder = join(config.dataFolder, own);
    const appliance = await serviceUser();
    const owner = user === undefined ? appliance : await ensureUser(user);
    if (user !== undefined) await run("usermod", ["--append", "--groups", user, appliance.name]);
    createFolder(folder);
    giveTo(owner, folder);
    setFolderMode(folder, folderMode);
    writeFileSync(unitPath(paths, name), companionUnit(name, config, program));
    await systemctl("daemon-reload");
    await systemctl("enable", "--quiet", unitName(name));
    await systemctl("restart", unitName(name));
    writeSettingsFile(
      paths.settings,
      { [setting]: `unix:${join(folder, "http.sock")}` },
      appliance.gid,
    );
    return `${unitName(name)}, starts with Posthouse`;
  });
  display.line(`To serve ${title} under ${path}: systemctl restart posthouse`);
}

/** Stops it and keeps its data. */
export async function disableCompanion(
  name: CompanionName,
  paths: InstallPaths,
  display = new Display(),
): Promise<void> {
  requireInstalled(name, paths, "disable");
  await display.step("Service", async () => {
    await removeUnit(paths, name);
    const { gid } = await serviceUser();
    writeSettingsFile(paths.settings, { [COMPANIONS[name].setting]: "" }, gid);
    return "deleted; its data and Debian's packages are kept";
  });
  display.line(`To turn off ${COMPANIONS[name].path}: systemctl restart posthouse`);
}

/** Stops the services and deletes their units, if there are any. */
export async function removeCompanions(paths: InstallPaths): Promise<void> {
  for (const name of NAMES) await removeUnit(paths, name);
}

async function removeUnit(paths: InstallPaths, name: CompanionName): Promise<void> {
  if (!existsSync(unitPath(paths, name))) return;
  await systemctl("disable", "--now", "--quiet", unitName(name));
  rmSync(unitPath(paths, name));
  await systemctl("daemon-reload");
}

/** The units of those that are enabled, with the text that a program and its settings need. */
export const companionUnits = (paths: InstallPaths) =>
  NAMES.map((name) => ({
    name,
    file: unitPath(paths, name),
    text: (config: Config, program: string) => companionUnit(name, config, program),
  })).filter(({ file }) => existsSync(file));

function requireInstalled(name: CompanionName, paths: InstallPaths, verb: string) {
  if (process.getuid!() !== 0)
    throw new CommandError(`${name} ${verb} needs root: run it with sudo`);
  const command = existsSync(paths.command) ? readFileSync(paths.command, "utf8") : "";
  const program = programIn(command);
  if (!program || !existsSync(paths.systemd))
    throw new CommandError(
      `This needs an installed Posthouse and systemd. With Docker, set COMPOSE_PROFILES=${name} instead`,
    );
  return { settings: readSettingsFile(paths.settings), program };
}

/** Doesn't disable running services: the operator uses them. */
async function disableDebianServices(): Promise<void> {
  const php = readdirSync("/usr/sbin").filter((name) => /^php-fpm\d/.test(name));
  const units = php.map((name) => `${name.replace("php-fpm", "php")}-fpm.service`);
  for (const unit of ["lighttpd.service", ...units])
    if (!(await systemctl("is-active", "--quiet", unit).catch(() => null)))
      await systemctl("disable", "--quiet", unit);
}

/** The service sees nothing of the data folder but its own folder, at `/run/posthouse-<name>/data`. */
function companionUnit(name: CompanionName, config: Config, program: string): string {
  const { title, folder, user, environment, network }: Companion = COMPANIONS[name];
  const { dataFolder } = config;
  const owner = user ?? SERVICE_USER;
  const own = `posthouse-${name}`;
  const lines = Object.entries(environment(config)).map(
    ([variable, value]) => `Environment=${variable}=${value}`,
  );
  return `# Written by \`posthouse ${name} enable\`, which overwrites it. Put changes into a drop-in: systemctl edit ${own}
[Unit]
Description=Posthouse ${title}
PartOf=posthouse.service
After=posthouse.service

[Service]
User=${owner}
Group=${owner}
RuntimeDirectory=${own} ${own}/data ${own}/run
BindPaths=${join(dataFolder, folder)}:/run/${own}/data
InaccessiblePaths=${dataFolder}
${lines.join("\n")}
ExecStart=${program}/docker/${name}/start.sh
Restart=always
RestartSec=2
CapabilityBoundingSet=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=${isUnderHome(program) ? "read-only" : "yes"}
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictNamespaces=yes
LockPersonality=yes
SystemCallFilter=@system-service
${network(config)}

[Install]
WantedBy=posthouse.service
`;
}
