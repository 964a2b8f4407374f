import type { Command } from "commander";

import { withDatabase } from "#server/cli/with-database.ts";
import { migrate } from "#server/db/migrate.ts";

import { print } from "./print.ts";

export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("bring the database to this version's schema (start does it too)")
    .option("--json", "answer as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withDatabase((_db, url) => migrate(url), { mayCreate: true });
      print(json, { migrated: true }, "The database has this version's schema.");
    });
}
