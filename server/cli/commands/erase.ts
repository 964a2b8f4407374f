import type { Command } from "commander";

import { print, table } from "./print.ts";

type Options = { address: string; deleteSuppressions?: boolean; json?: boolean };

export function addEraseCommand(program: Command): void {
  program
    .command("erase")
    .description(
      "erase the data stored about someone outside this appliance, such as a recipient who requests it",
    )
    .requiredOption("--address <address>", "the person's email address")
    .option(
      "--delete-suppressions",
      "delete the address from suppression lists, so that it can get email again",
    )
    .option("--json", "print JSON")
    .action(async ({ address, deleteSuppressions, json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createContext } = await import("#server/core/shared/context.ts");
      const { erasePerson } = await import("#server/core/operations/erasure/erase-person.ts");
      const { ensurePlatformCompany } =
        await import("#server/core/domains/own-domain/own-domain.ts");
      const result = await withDatabase(async (db) => {
        const actor = { kind: "system", task: "posthouse erase" } as const;
        const ctx = createContext(db, await ensurePlatformCompany(db), actor);
        return erasePerson(ctx, { address, keepsSuppressions: !deleteSuppressions });
      });
      const rows = Object.entries(result.erased).map(([what, number]) => [what, String(number)]);
      print(
        json,
        result,
        `Data erased. The address now appears as ${result.pseudonym}.\n\n${table(rows)}\n\nMail in mailboxes isn't affected, and backups keep the data until they expire.`,
      );
    });
}
