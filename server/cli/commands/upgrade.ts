import { Option, type Command } from "commander";

import { print } from "./print.ts";

type Options = {
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
    .action(async ({ to, backup, json, root }: Options) => {
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
