import type { Command } from "commander";

import { print } from "./print.ts";

export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("migrate the database to this version's schema (start does this too)")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { migrate } = await import("#server/db/migrate.ts");
      await withDatabase((_db, url) => migrate(url), { mayCreate: true });
      print(json, { migrated: true }, "The database schema is up to date.");
    });
}
