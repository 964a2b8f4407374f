import { Argument, type Command, Option } from "commander";

import { CommandError } from "#server/cli/failures.ts";

import { print, table } from "./print.ts";

type CompanyOptions = {
  name: string;
  ownerEmail: string;
  ownerPassword?: string | true;
  json?: boolean;
};

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
    .action(async ({ name, ownerEmail, ownerPassword, json }: CompanyOptions) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createCompany } = await import("#server/core/operations/companies/create-company.ts");
      const { describePerson } = await import("#server/core/access/people/people.ts");
      const { askSecret } = await import("#server/cli/input.ts");
      const password =
        ownerPassword === undefined
          ? null
          : await askSecret("Password of the owner", {
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
      const { withCompany } = await import("#server/cli/with-database.ts");
      const { setGreylisting } = await import("#server/core/access/companies/company-settings.ts");
      const { id, name } = await withCompany(
        options.company,
        "company greylisting",
        async (ctx, company) => {
          await setGreylisting(ctx, state === "on");
          return company;
        },
      );
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
      const { withCompany } = await import("#server/cli/with-database.ts");
      const { changeProviderSettings } =
        await import("#server/core/access/single-sign-on/providers.ts");
      const { id, name } = await withCompany(
        options.company,
        "company allow-passwords",
        async (ctx, company) => {
          await changeProviderSettings(ctx, null, {
            requiredForAdmins: false,
            requiredForMailboxes: false,
          });
          return company;
        },
      );
      print(
        options.json,
        { id, name, single_sign_on_required: false },
        `${name}: admins and mailbox users can sign in with their passwords. If an admin has none, run posthouse admin reset-password`,
      );
    });
}

type AdminOptions = { email: string; withoutSecondFactor?: boolean; json?: boolean };

export function addAdminCommand(program: Command): void {
  const admin = program.command("admin").description("manage admins, who sign in at /console");
  addResetPassword(admin);
}

function addResetPassword(adminCommand: Command): void {
  adminCommand
    .command("reset-password")
    .description("print a one-time password reset link, valid for an hour")
    .requiredOption("--email <address>", "the address the admin signs in with")
    .option(
      "--without-second-factor",
      "also remove the admin's authenticator app, passkeys and recovery codes, and end their sessions",
    )
    .option("--json", "print JSON")
    .action(async ({ email: typed, withoutSecondFactor = false, json }: AdminOptions) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { requireInstanceKey } =
        await import("#server/core/shared/secrets/require-instance-key.ts");
      const { createResetLinkAtServer } =
        await import("#server/core/access/people/person-passwords.ts");
      const { email, link } = await withDatabase(async (db) => {
        await requireInstanceKey(db);
        return createResetLinkAtServer(db, typed, { withoutSecondFactor });
      });
      const factors = withoutSecondFactor ? " Second factors were removed." : "";
      print(
        json,
        { email, link },
        `One-time password reset link for ${email}, valid for an hour.${factors}\n${link}`,
      );
    });
}

type OperatorOptions = { email: string; json?: boolean };

export function addOperatorCommand(program: Command): void {
  const operator = program
    .command("operator")
    .description("manage operators, who run this instance");
  operator
    .command("list", { isDefault: true })
    .description("list the operators")
    .option("--json", "print JSON")
    .action(async ({ json }: Pick<OperatorOptions, "json">) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { listOperators } = await import("#server/core/access/people/people.ts");
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
    .action(async ({ email: given, json }: OperatorOptions) => {
      const { withPlatform } = await import("#server/cli/with-database.ts");
      const { setOperator } = await import("#server/core/operations/companies/operators.ts");
      const { describePerson } = await import("#server/core/access/people/people.ts");
      const person = await withPlatform(`operator ${verb}`, (ctx) =>
        setOperator(ctx, { email: given, isOperator }),
      );
      const { email, companies, createdAt } = person;
      const words = `${email} is ${isOperator ? "now" : "no longer"} an operator: ${describePerson(person)}`;
      print(json, { email, operator: isOperator, companies, created_at: createdAt }, words);
    });
}

type KeyOptions = {
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
    .action(async ({ json, ...options }: KeyOptions) => {
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

type MoveOptions = { to?: string; list?: boolean; json?: boolean };

export function addMailboxCommand(program: Command): void {
  const mailbox = program
    .command("mailbox")
    .description("manage where mailboxes are stored, if there are several mail hosts");
  mailbox
    .command("move [address]")
    .description("move a mailbox to another mail host, while it stays in use")
    .option("--to <host>", "the name of the mail host (POSTHOUSE_MAIL_HOST there)")
    .option("--list", "list mailbox moves in progress")
    .option("--json", "print the list as JSON")
    .action(async (address: string | undefined, { to, list, json }: MoveOptions) => {
      if (list) {
        const { printMoves } = await import("#server/cli/mail-hosts.ts");
        return printMoves(json);
      }
      if (address === undefined || to === undefined)
        throw new CommandError(
          "Specify a mailbox and a mail host (ADDRESS --to HOST), or use --list",
        );
      const { moveToHost } = await import("#server/cli/mail-hosts.ts");
      await moveToHost(address.toLowerCase(), to.toLowerCase());
    });
  mailbox
    .command("hosts")
    .description(
      "list the mail hosts, how many mailboxes each stores, and mailbox moves in progress",
    )
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { printHosts } = await import("#server/cli/mail-hosts.ts");
      await printHosts(json);
    });
}

type EraseOptions = { address: string; deleteSuppressions?: boolean; json?: boolean };

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
    .action(async ({ address, deleteSuppressions, json }: EraseOptions) => {
      const { withPlatform } = await import("#server/cli/with-database.ts");
      const { erasePerson } = await import("#server/core/operations/erasure/erase-person.ts");
      const result = await withPlatform("erase", (ctx) =>
        erasePerson(ctx, { address, keepsSuppressions: !deleteSuppressions }),
      );
      const rows = Object.entries(result.erased).map(([what, number]) => [what, String(number)]);
      print(
        json,
        result,
        `Data erased. The address now appears as ${result.pseudonym}.\n\n${table(rows)}\n\nMail in mailboxes isn't affected, and backups keep the data until they expire.`,
      );
    });
}
