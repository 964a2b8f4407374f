import { type Command, InvalidArgumentError, Option } from "commander";

import type { CompanionName } from "#server/cli/install/companions.ts";

import { print } from "./print.ts";

const MINUTE_MS = 60_000;
const WAIT_MINUTES = 60;

type Options = {
  hostname?: string;
  data?: string;
  set?: Record<string, string>;
  waitForDns?: number | true;
  json?: boolean;
  root?: string;
};

export function addInstallCommands(program: Command): void {
  addInstall(program);
  addUninstall(program);
  addCompanion(program, "webmail", "Roundcube");
  addCompanion(program, "calendar", "Radicale");
}

function addInstall(program: Command): void {
  program
    .command("install")
    .description(
      "install Posthouse as a service on this machine, or apply changed settings and a new version",
    )
    .option(
      "--hostname <name>",
      "the mail hostname, such as mail.example.com; asked for if missing",
    )
    .option("--data <folder>", "the data folder (default: /var/lib/posthouse)")
    .option(
      "--set <NAME=value>",
      "a setting from docs/settings.md, such as POSTHOUSE_RELAY_URL=smtp://…; can be repeated",
      readSetting,
    )
    .option(
      "--wait-for-dns [minutes]",
      `wait until the DNS records are published and the certificate is issued (default: ${WAIT_MINUTES} minutes)`,
      readMinutes,
    )
    .option("--json", "print JSON; progress goes to stderr")
    .addOption(rootOption())
    .action(async ({ hostname, data, set, waitForDns, json, root }: Options) => {
      const { install } = await import("#server/cli/install/install.ts");
      const { installPaths } = await import("#server/cli/install/installed-files.ts");
      const minutes = waitForDns === true ? WAIT_MINUTES : (waitForDns ?? 0);
      await install(installPaths(root), {
        ...(hostname && { hostname }),
        ...(data && { dataFolder: data }),
        settings: set ?? {},
        waitMs: minutes * MINUTE_MS,
        json: json ?? false,
      });
    });
}

function addUninstall(program: Command): void {
  program
    .command("uninstall")
    .description("stop the service and delete what install created; keeps mail and settings")
    .option("--delete-data", "also delete all mail, the database, the keys and the settings")
    .option("--yes", "don't ask before deleting data")
    .addOption(rootOption())
    .action(async (options: { deleteData?: boolean; yes?: boolean; root?: string }) => {
      const { uninstall } = await import("#server/cli/install/uninstall.ts");
      const { installPaths } = await import("#server/cli/install/installed-files.ts");
      await uninstall(installPaths(options.root), {
        deleteData: options.deleteData ?? false,
        yes: options.yes ?? false,
      });
    });
}

function addCompanion(program: Command, name: CompanionName, software: string): void {
  const command = program
    .command(name)
    .description(`turn ${software} from Debian's packages on or off`);
  const add = (verb: "enable" | "disable", description: string) =>
    command
      .command(verb)
      .description(description)
      .action(async () => {
        const { disableCompanion, enableCompanion } =
          await import("#server/cli/install/companions.ts");
        const { installPaths } = await import("#server/cli/install/installed-files.ts");
        const apply = verb === "enable" ? enableCompanion : disableCompanion;
        await apply(name, installPaths());
      });
  add("enable", "run it as a service; repeat it to apply changed settings");
  add("disable", "stop it and keep its data");
}

/** For tests. */
const rootOption = () =>
  new Option("--root <folder>", "install under this folder instead of /").hideHelp();

function readSetting(text: string, before?: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("It must look like NAME=value.");
  return { ...before, [name]: value };
}

function readMinutes(text: string): number {
  const minutes = Number(text);
  if (!(minutes > 0)) throw new InvalidArgumentError("It must be a number of minutes.");
  return minutes;
}

type UpgradeOptions = {
  to?: string;
  backup: boolean;
  json?: boolean;
  root?: string;
};

export function addUpgradeCommand(program: Command): void {
  program
    .command("upgrade")
    .description("upgrade to this version: back up, restart the service, and roll back if it fails")
    .option("--to <folder|url>", "where to back up to (default: the setting backup_to)")
    .option("--no-backup", "don't back up")
    .option("--json", "print JSON; progress goes to stderr")
    .addOption(
      new Option(
        "--root <folder>",
        "find the installation under this folder, for tests",
      ).hideHelp(),
    )
    .addHelpText("after", HELP)
    .action(async ({ to, backup, json, root }: UpgradeOptions) => {
      const { upgrade } = await import("#server/cli/upgrade/upgrade.ts");
      const report = await upgrade({
        backup: backup ? to : false,
        json: json ?? false,
        root,
      });
      if (json) print(json, report, "");
    });
}

const HELP = `
Run it with the new version while the previous one is running: in a new clone, npx posthouse upgrade.

1. Backup, to --to or the setting backup_to.
2. Rollback copy: if the schema changes, copies the database while it is in use, so that a failed upgrade can be undone.
3. If Posthouse was installed with posthouse install: installs this version and restarts the service. If it isn't ready then,
   the previous program, settings and database are restored. Until it is ready, it accepts nothing, so nothing is lost.
   Otherwise, restart Posthouse with this version yourself.`;
