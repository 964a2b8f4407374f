import { writeFileSync } from "node:fs";

import { Option, type Command } from "commander";

import { CommandError } from "#server/cli/command-error.ts";
import { print } from "./print.ts";

type Options = {
  to?: string;
  backup: boolean;
  rehearse?: boolean;
  json?: boolean;
  root?: string;
};

/** Standard output shows the progress. */
const REPORT_FD = 3;

export function addUpgradeCommand(program: Command): void {
  program
    .command("upgrade")
    .description(
      "upgrade to this version: rehearse on a copy of the data, back up, restart the service, and roll back if it fails",
    )
    .option("--rehearse", "only rehearse: no backup, no restart")
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
    .action(async ({ to, backup, rehearse, json, root }: Options) => {
      const { upgrade } = await import("#server/cli/upgrade/upgrade.ts");
      const report = await upgrade({
        backup: rehearse || !backup ? false : to,
        ...{ onlyRehearse: rehearse ?? false, json: json ?? false, root },
      });
      if (json) print(json, report, "");
    });
  program
    .command("rehearse-upgrade", { hidden: true })
    .description("rehearse an upgrade (used by upgrade)")
    .action(async () => {
      const { text } = await import("node:stream/consumers");
      const { Display } = await import("#server/cli/display.mjs");
      const { ShownFailure } = await import("#server/cli/shown-failure.ts");
      const { config } = await import("#server/config.ts");
      const { rehearse } = await import("#server/cli/upgrade/rehearse.ts");
      const display = new Display();
      const url = await text(process.stdin);
      if (!url) throw new CommandError("rehearse-upgrade is run by posthouse upgrade");
      const found = await rehearse(url, config().dataFolder, display).catch((error: unknown) => {
        throw display.wasShown(error) ? new ShownFailure() : error;
      });
      writeFileSync(REPORT_FD, JSON.stringify(found));
    });
}

const HELP = `
Run it with the new version while the previous one is running: in a new clone, npx posthouse upgrade. The previous version stays
in use until everything has been verified.

1. Rehearsal: copies the database, migrates the copy, compares the number of rows, checks that every recipient is accounted for,
   starts web and mail on the copy, and deletes it.
2. Backup, to --to or the setting backup_to.
3. Rollback copy: copies the database again, so that a failed upgrade can be undone.
4. If Posthouse was installed with posthouse install: installs this version and restarts the service. If it isn't ready then,
   the previous program, settings and database are restored. Until it is ready, it accepts nothing, so nothing is lost.
   Otherwise, restart Posthouse with this version yourself.`;
