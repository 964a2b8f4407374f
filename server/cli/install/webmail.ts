import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { ensureWebmail } from "#server/cli/bootstrap/system-packages.mjs";
import { Display } from "#server/cli/display.mjs";
import { CommandError } from "#server/cli/failures.ts";
import { type Config, readConfig } from "#server/config.ts";
import { localAddress, localUrlHost } from "#server/core/operations/system-checks/local-address.ts";
import { createFolder, giveTo, setFolderMode } from "#server/processes/open-no-follow.ts";
import { ensureUser, serviceUser } from "#server/processes/service-user.ts";

import { type InstallPaths, programIn } from "./installed-files.ts";
import { readSettingsFile, writeSettingsFile } from "./settings-file.ts";

const run = promisify(execFile);
const systemctl = (...args: string[]) => run("systemctl", args);

/** The name of the user, the group and the unit. */
const NAME = "posthouse-webmail";
const unitPath = (paths: InstallPaths) => join(paths.unit, "..", `${NAME}.service`);

export const webmailCommands = { enable, disable };

/** Installs Roundcube from Debian's packages and runs it as a service. Can be repeated to apply changed settings. */
async function enable(paths: InstallPaths, display = new Display()): Promise<void> {
  const { settings, program } = requireInstalled(paths, "enable");
  const config = readConfig(settings);
  await display.step("Packages", async () => {
    await ensureWebmail();
    await disableDebianServices();
  });
  await display.step("Service", async () => {
    const folder = join(config.dataFolder, "webmail");
    const user = await ensureUser(NAME);
    const appliance = await serviceUser();
    // Webmail creates the socket and the database that Posthouse uses, and Posthouse restores the database.
    await run("usermod", ["--append", "--groups", NAME, appliance.name]);
    createFolder(folder);
    giveTo(user, folder);
    setFolderMode(folder, 0o2770);
    writeFileSync(unitPath(paths), webmailUnit(config, { program, folder }));
    await systemctl("daemon-reload");
    await systemctl("enable", "--quiet", `${NAME}.service`);
    await systemctl("restart", `${NAME}.service`);
    setUpstream(paths, `unix:${join(folder, "http.sock")}`, appliance.gid);
    return `${NAME}.service, starts with Posthouse`;
  });
  display.line("To serve it under /webmail: systemctl restart posthouse");
}

/** Stops webmail and keeps its database. */
async function disable(paths: InstallPaths, display = new Display()): Promise<void> {
  requireInstalled(paths, "disable");
  await display.step("Service", async () => {
    await removeWebmail(paths);
    setUpstream(paths, "", (await serviceUser()).gid);
    return "deleted; its database and Debian's packages are kept";
  });
  display.line("To remove it from /account: systemctl restart posthouse");
}

/** Stops the service and deletes its unit, if there is one. */
export async function removeWebmail(paths: InstallPaths): Promise<void> {
  if (!existsSync(unitPath(paths))) return;
  await systemctl("disable", "--now", "--quiet", `${NAME}.service`);
  rmSync(unitPath(paths));
  await systemctl("daemon-reload");
}

const setUpstream = ({ settings }: InstallPaths, POSTHOUSE_WEBMAIL: string, gid: number) =>
  writeSettingsFile(settings, { POSTHOUSE_WEBMAIL }, gid);

function requireInstalled(paths: InstallPaths, verb: string) {
  if (process.getuid!() !== 0)
    throw new CommandError(`webmail ${verb} needs root: run it with sudo`);
  const command = existsSync(paths.command) ? readFileSync(paths.command, "utf8") : "";
  const program = programIn(command);
  if (!program || !existsSync(paths.systemd))
    throw new CommandError(
      "Webmail needs an installed Posthouse and systemd. With Docker, set COMPOSE_PROFILES=webmail instead",
    );
  return { settings: readSettingsFile(paths.settings), program };
}

/** Leaves those that run: the operator uses them. */
async function disableDebianServices(): Promise<void> {
  const php = readdirSync("/usr/sbin").filter((name) => /^php-fpm\d/.test(name));
  const units = php.map((name) => `${name.replace("php-fpm", "php")}-fpm.service`);
  for (const unit of ["lighttpd.service", ...units])
    if (!(await systemctl("is-active", "--quiet", unit).catch(() => null)))
      await systemctl("disable", "--quiet", unit);
}

/** Binds the folder to `/run/posthouse-webmail/data`, because other users can't enter the data folder. */
function webmailUnit(
  { bind, ports, baseUrl }: Config,
  { program, folder }: { program: string; folder: string },
): string {
  const host = localUrlHost(bind);
  const at = (port: number) => `${host}:${port}`;
  const environment = {
    WEBMAIL_DATA: `/run/${NAME}/data`,
    WEBMAIL_RUN: `/run/${NAME}/run`,
    WEBMAIL_LISTEN: `unix:/run/${NAME}/data/http.sock`,
    WEBMAIL_IMAP: at(ports.imaps),
    WEBMAIL_SMTP: at(ports.submissions),
    POSTHOUSE_APPLIANCE: `https://${at(ports.web)}`,
    POSTHOUSE_HOSTNAME: new URL(baseUrl).host,
  };
  const lines = Object.entries(environment).map(([name, value]) => `Environment=${name}=${value}`);
  return `# Written by \`posthouse webmail enable\`, which overwrites it.
[Unit]
Description=Posthouse webmail
PartOf=posthouse.service
After=posthouse.service

[Service]
User=${NAME}
Group=${NAME}
RuntimeDirectory=${NAME} ${NAME}/data ${NAME}/run
BindPaths=${folder}:/run/${NAME}/data
${lines.join("\n")}
ExecStart=${program}/docker/webmail/start.sh
Restart=always
RestartSec=2
CapabilityBoundingSet=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=${program.startsWith("/home/") || program.startsWith("/root/") ? "read-only" : "yes"}
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
LockPersonality=yes
SystemCallFilter=@system-service
# It connects only to Posthouse.
IPAddressDeny=any
IPAddressAllow=localhost ${localAddress(bind)}

[Install]
WantedBy=posthouse.service
`;
}
