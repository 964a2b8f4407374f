import type { Command } from "commander";

import { print } from "./print.ts";

type Options = { email: string; json?: boolean };

export function addOperatorCommand(program: Command): void {
  const operator = program.command("operator").description("people who run this instance");
  operator
    .command("list", { isDefault: true })
    .description("who runs this instance")
    .option("--json", "answer as JSON")
    .action(async ({ json }: Pick<Options, "json">) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { listOperators } = await import("#server/core/operations/companies/operators.ts");
      const operators = await withDatabase((db) => listOperators(db));
      print(json, operators, operators.join("\n") || "Nobody runs this instance");
    });
  addChange(operator, "grant", "let somebody who signs in at the console run this instance");
  addChange(operator, "revoke", "let somebody run this instance no more");
}

function addChange(operator: Command, verb: "grant" | "revoke", description: string): void {
  const isOperator = verb === "grant";
  operator
    .command(verb)
    .description(description)
    .requiredOption("--email <address>", "the address the person signs in with")
    .option("--json", "answer as JSON")
    .action(async ({ email: given, json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { setOperator } = await import("#server/core/operations/companies/operators.ts");
      const { ensurePlatformCompany } =
        await import("#server/core/domains/own-domain/ensure-platform.ts");
      const { email } = await withDatabase(async (db) => {
        const companyId = await ensurePlatformCompany(db);
        const actor = { kind: "system", task: `posthouse operator ${verb}` } as const;
        const ctx = { db, companyId, actor, now: () => new Date() };
        return setOperator(ctx, { email: given, isOperator });
      });
      const words = `${email} ${isOperator ? "runs this instance" : "runs this instance no more"}`;
      print(json, { email, operator: isOperator }, words);
    });
}
