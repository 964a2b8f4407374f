import type { Command } from "commander";

import { print } from "./print.ts";

type Options = { email: string; json?: boolean };

export function addOperatorCommand(program: Command): void {
  const operator = program
    .command("operator")
    .description("manage operators, who run this instance");
  operator
    .command("list", { isDefault: true })
    .description("list the operators")
    .option("--json", "print JSON")
    .action(async ({ json }: Pick<Options, "json">) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { listOperators } = await import("#server/core/operations/companies/operators.ts");
      const operators = await withDatabase((db) => listOperators(db));
      print(json, operators, operators.join("\n") || "This instance has no operators");
    });
  addChange(operator, "grant", "make an admin an operator");
  addChange(operator, "revoke", "revoke an admin's operator role");
}

function addChange(operator: Command, verb: "grant" | "revoke", description: string): void {
  const isOperator = verb === "grant";
  operator
    .command(verb)
    .description(description)
    .requiredOption("--email <address>", "the address the admin signs in with")
    .option("--json", "print JSON")
    .action(async ({ email: given, json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createContext } = await import("#server/core/shared/context.ts");
      const { setOperator } = await import("#server/core/operations/companies/operators.ts");
      const { ensurePlatformCompany } =
        await import("#server/core/domains/own-domain/own-domain.ts");
      const { describePerson } = await import("#server/core/access/people/people.ts");
      const person = await withDatabase(async (db) => {
        const companyId = await ensurePlatformCompany(db);
        const actor = { kind: "system", task: `posthouse operator ${verb}` } as const;
        const ctx = createContext(db, companyId, actor);
        return setOperator(ctx, { email: given, isOperator });
      });
      const { email, companies, createdAt } = person;
      const words = `${email} is ${isOperator ? "now" : "no longer"} an operator: ${describePerson(person)}`;
      print(json, { email, operator: isOperator, companies, created_at: createdAt }, words);
    });
}
