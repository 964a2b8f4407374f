import { type Command, Option } from "commander";

type Options = {
  company: string;
  as: string;
  name: string;
  permission: "full_access" | "sending_access" | "test";
  domain?: string;
  json?: boolean;
};

export function addKeyCommand(program: Command): void {
  program
    .command("key")
    .description("manage API keys")
    .command("create")
    .description("create an API key and print it to stdout; it can't be shown again")
    .requiredOption("--company <name or id>", "the company the key belongs to")
    .requiredOption("--as <address>", "the admin whose privileges the key has")
    .requiredOption("--name <name>", "a name that says what the key is for")
    .addOption(
      new Option("--permission <permission>", "what the key can do")
        .choices(["full_access", "sending_access", "test"])
        .default("sending_access"),
    )
    .option("--domain <name>", "restrict a sending key to this domain")
    .option("--json", "print JSON")
    .action(async ({ json, ...options }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createKeyFor } = await import("#server/core/operations/companies/create-company.ts");
      const key = await withDatabase((db) => createKeyFor(db, options));
      if (json) {
        console.log(JSON.stringify(key));
        return;
      }
      console.error(
        `API key "${options.name}" (${key.id}). Store it now: it can't be shown again.`,
      );
      console.log(key.token);
    });
}
