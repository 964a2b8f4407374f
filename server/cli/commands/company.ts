import type { Command } from "commander";

import { print } from "./print.ts";

type Options = { name: string; ownerEmail: string; ownerPassword: string; json?: boolean };

export function addCompanyCommand(program: Command): void {
  program
    .command("company")
    .description("companies of this instance")
    .command("create")
    .description("make a company with its owner, who signs in at /console")
    .requiredOption("--name <name>", "the company's name")
    .requiredOption("--owner-email <address>", "the address the owner signs in with")
    .requiredOption("--owner-password <password>", "the owner's password, at least 12 characters")
    .option("--json", "answer as JSON")
    .action(async ({ name, ownerEmail, ownerPassword, json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createCompany } = await import("#server/core/companies/create-company.ts");
      const owner = { email: ownerEmail, password: ownerPassword };
      const { company, owner: made } = await withDatabase(
        (db) => createCompany(db, { name, owner }),
        { mayCreate: true },
      );
      print(
        json,
        { id: company.id, name: company.name, owner: { id: made.id, email: made.email } },
        `${company.name} (${company.id}), owner ${made.email}`,
      );
    });
}
