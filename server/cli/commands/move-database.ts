import type { Command } from "commander";

import { pluralize } from "#server/core/shared/text.ts";

import { print } from "./print.ts";

type Options = { to: string; json?: boolean };

export function addMoveDatabaseCommand(program: Command): void {
  program
    .command("move-database")
    .description("copy the embedded database into your own Postgres, while Posthouse is stopped")
    .requiredOption("--to <url>", "connection string of an empty database")
    .option("--json", "print JSON")
    .action(async ({ to, json }: Options) => {
      const { moveDatabase } = await import("#server/cli/move-database.ts");
      const moved = await moveDatabase(to);
      const rows = `${pluralize(moved.rows, "row")} in ${pluralize(moved.tables, "table")}`;
      print(
        json,
        moved,
        `Copied ${rows}. The row counts match, and ${pluralize(moved.recipients, "recipient is", "recipients are")} accounted for. ` +
          "Set DATABASE_URL to that database, then start Posthouse.",
      );
    });
}
