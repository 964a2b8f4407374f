import { InvalidArgumentError, Option, type Command } from "commander";

const MINUTE_MS = 60_000;
const WAIT_MINUTES = 60;

type Options = {
  hostname?: string;
  data?: string;
  set: Record<string, string>;
  waitForDns?: number | true;
  json?: boolean;
  root?: string;
};

export function addInstallCommands(program: Command): void {
  addInstall(program);
  addUninstall(program);
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
      "a setting from the README, such as POSTHOUSE_RELAY_URL=smtp://…; can be repeated",
      readSetting,
      {},
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
      const { installPaths } = await import("#server/cli/install/install-paths.ts");
      const minutes = waitForDns === true ? WAIT_MINUTES : (waitForDns ?? 0);
      await install(installPaths(root), {
        ...(hostname && { hostname }),
        ...(data && { dataFolder: data }),
        settings: set,
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
      const { installPaths } = await import("#server/cli/install/install-paths.ts");
      await uninstall(installPaths(options.root), {
        deleteData: options.deleteData ?? false,
        yes: options.yes ?? false,
      });
    });
}

/** For tests. */
const rootOption = () =>
  new Option("--root <folder>", "install under this folder instead of /").hideHelp();

function readSetting(text: string, before: Record<string, string>): Record<string, string> {
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
