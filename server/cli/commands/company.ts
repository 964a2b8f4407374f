import { Argument, type Command } from "commander";

import { print } from "./print.ts";

type Options = { name: string; ownerEmail: string; ownerPassword?: string | true; json?: boolean };

export function addCompanyCommand(program: Command): void {
  const company = program.command("company").description("manage the companies of this instance");
  addCreate(company);
  addGreylisting(company);
  addAllowPasswords(company);
}

function addCreate(companyCommand: Command): void {
  companyCommand
    .command("create")
    .description("create a company with its owner, who signs in at /console")
    .requiredOption("--name <name>", "the company's name")
    .requiredOption("--owner-email <address>", "the address the owner signs in with")
    .option(
      "--owner-password [-]",
      "read the owner's password, of at least 12 characters, from standard input; omit it if the owner is already an admin here",
    )
    .option("--json", "print JSON")
    .action(async ({ name, ownerEmail, ownerPassword, json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createCompany } = await import("#server/core/operations/companies/create-company.ts");
      const { describePerson } = await import("#server/core/access/people/people.ts");
      const { readSecret } = await import("#server/cli/read-secret.ts");
      const password =
        ownerPassword === undefined
          ? null
          : await readSecret("Password of the owner", {
              flag: "--owner-password",
              given: ownerPassword,
            });
      const owner = { email: ownerEmail, password };
      const {
        company,
        owner: made,
        known,
      } = await withDatabase((db) => createCompany(db, { name, owner }), { mayCreate: true });
      print(
        json,
        {
          id: company.id,
          name: company.name,
          owner: {
            id: made.id,
            email: made.email,
            known: known && { companies: known.companies, created_at: known.createdAt },
          },
        },
        `${company.name} (${company.id}), owner ${made.email}${known ? `: ${describePerson(known)}` : ""}`,
      );
    });
}

function addGreylisting(companyCommand: Command): void {
  companyCommand
    .command("greylisting")
    .description(
      "turn greylisting on or off for a company: mail from unknown senders is accepted only on a later attempt",
    )
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .requiredOption("--company <name or id>", "the company whose incoming mail is greylisted")
    .option("--json", "print JSON")
    .action(async (state: "on" | "off", options: { company: string; json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createContext } = await import("#server/core/shared/context.ts");
      const { getCompany } = await import("#server/core/access/companies/companies.ts");
      const { setGreylisting } = await import("#server/core/access/companies/company-settings.ts");
      const { id, name } = await withDatabase(async (db) => {
        const company = await getCompany(db, options.company);
        const actor = { kind: "system", task: "posthouse company greylisting" } as const;
        const ctx = createContext(db, company.id, actor);
        await setGreylisting(ctx, state === "on");
        return company;
      });
      print(options.json, { id, name, greylisting: state === "on" }, `${name}: ${state}`);
    });
}

function addAllowPasswords(companyCommand: Command): void {
  companyCommand
    .command("allow-passwords")
    .description(
      "make single sign-on optional again, for a company whose admins or mailbox users are locked out because their identity provider fails",
    )
    .requiredOption("--company <name or id>", "the company")
    .option("--json", "print JSON")
    .action(async (options: { company: string; json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createContext } = await import("#server/core/shared/context.ts");
      const { getCompany } = await import("#server/core/access/companies/companies.ts");
      const { changeProviderSettings } =
        await import("#server/core/access/single-sign-on/providers.ts");
      const { id, name } = await withDatabase(async (db) => {
        const company = await getCompany(db, options.company);
        const actor = { kind: "system", task: "posthouse company allow-passwords" } as const;
        const ctx = createContext(db, company.id, actor);
        await changeProviderSettings(ctx, null, {
          requiredForAdmins: false,
          requiredForMailboxes: false,
        });
        return company;
      });
      print(
        options.json,
        { id, name, single_sign_on_required: false },
        `${name}: admins and mailbox users can sign in with their passwords. If an admin has none, run posthouse admin reset-password`,
      );
    });
}
