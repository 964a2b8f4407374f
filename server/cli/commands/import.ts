import { type Command, Option } from "commander";

import type { ExportOptions } from "#server/cli/export/export-company.ts";
import { CommandError } from "#server/cli/failures.ts";
import type { ListOptions, UserOptions } from "#server/cli/imports/import-lists.ts";
import type { ImportOptions } from "#server/cli/imports/import-mail.ts";
import type { SecretKind } from "#server/core/mailboxes/imports/import-source.ts";

import { print } from "./print.ts";

const EXAMPLES = `
The command reads the password from POSTHOUSE_IMPORT_PASSWORD or --password-file, or asks for it; it is never an argument.
The CSV file has the columns account, password and mailbox, with one line for each mailbox. With --sign-in google or microsoft, the column
account is enough.

You can interrupt and repeat the command at any time: each message is imported once.

Examples:
  posthouse import --from imaps://imap.gmail.com --user ann@example.com --to ann@example.com
  posthouse import --from imap://mail.old.example --csv mailboxes.csv
  posthouse import users users.csv --company Acme --dry-run
  posthouse import suppressions suppression_bounces.csv --company Acme
`;

const LISTS = `
Reads exports of Resend, SendGrid, Postmark, Amazon SES and Mailgun (CSV, or JSON of their APIs), any CSV file with a column of
email addresses, and files with one address per line. Reasons and dates are kept. Addresses that are already suppressed stay
as they are, so you can repeat the command.
`;

const USERS = `
Reads the CSV files that the Google Workspace admin console and the Microsoft 365 admin center export, the JSON of mailcow's API
(/api/v1/get/mailbox/all, and /api/v1/get/alias/all as a second file), and CSV files with the columns email and name. For existing
mailboxes, only missing aliases are added, so you can repeat the command. Each mailbox is created with its aliases, or not at all.
`;

export function addImportCommand(program: Command): void {
  const command = program
    .command("import")
    .description(
      "import mail from another IMAP server into mailboxes, and show progress until it ends",
    )
    .option("--from <url>", "the server: imaps://HOST (TLS), or imap://HOST (STARTTLS)")
    .option("--user <account>", "the account at that server")
    .option("--to <mailbox>", "the mailbox to import into")
    .option("--csv <file>", "import several accounts: account,password,mailbox")
    .option("--password-file <file>", "read the password from a file; - for standard input")
    .addOption(
      new Option(
        "--sign-in <kind>",
        "what the password is: oauth, an access token; google, the JSON key of a service account; microsoft, the JSON credentials of an app registration",
      ).choices(["password", "oauth", "google", "microsoft"] satisfies SecretKind[]),
    )
    .option("--keep-password", "store the password, encrypted, for a final import from the console")
    .option(
      "--unencrypted",
      "sign in without TLS; anyone on the network path can read the password",
    )
    .option("--allow-private-address", "accept a server in a private network")
    .addHelpText("after", EXAMPLES)
    .action(async ({ from, ...options }: Partial<ImportOptions>) => {
      // Not a required option: the commands below don't have it.
      if (from === undefined) throw new CommandError("Specify --from");
      const { importMail } = await import("#server/cli/imports/import-mail.ts");
      await importMail({ ...options, from });
    });
  addUsers(command);
  addSuppressions(command);
}

function addUsers(command: Command): void {
  command
    .command("users")
    .description("create mailboxes and aliases from another system's list of users")
    .argument("<files...>", "CSV or JSON; - for standard input")
    .requiredOption("--company <name or id>", "the company to create the mailboxes in")
    .option("--links <file>", "write password setup links for new mailboxes to this CSV file")
    .option("--with-units", "use organizational units, and create those that don't exist")
    .option("--dry-run", "show what would be created")
    .option("--json", "print JSON")
    .addHelpText("after", USERS)
    .action(async (files: string[], { json, ...options }: UserOptions & { json?: boolean }) => {
      const { importUsers, describeUsers } = await import("#server/cli/imports/import-lists.ts");
      const result = await importUsers(files, options);
      print(json, result, describeUsers(result, options));
    });
}

function addSuppressions(command: Command): void {
  command
    .command("suppressions")
    .description("import another provider's suppression list")
    .argument("<file>", "CSV, JSON or text; - for standard input")
    .requiredOption("--company <name or id>", "the company to add the suppressions to")
    .option("--dry-run", "show what would be added")
    .option("--json", "print JSON")
    .addHelpText("after", LISTS)
    .action(async (file: string, { json, ...options }: ListOptions & { json?: boolean }) => {
      const { importSuppressions, describeList } =
        await import("#server/cli/imports/import-lists.ts");
      const result = await importSuppressions(file, options);
      print(json, result, describeList(result, options.dryRun));
    });
}

const HELP = `
The file or folder exists only once the export is complete. It contains a README.txt, and only your user can read it. Passwords, API
keys and signing secrets are never exported. Email content is exported, and can contain links to set a password or accept an
invitation. They work for 7 days.

Examples:
  posthouse export --company Acme --out acme.tar.gz
  posthouse export --company Acme --out acme --mail mbox --include-dkim-keys
`;

export function addExportCommand(program: Command): void {
  program
    .command("export")
    .description("export a company's data in open formats, including the mail of its mailboxes")
    .requiredOption("--company <name or id>", "the company")
    .requiredOption(
      "--out <path>",
      "a new folder, or a new file that ends with .tar.gz or .tar.zst",
    )
    .addOption(
      new Option("--mail <format>", "how to write the mail of mailboxes")
        .choices(["maildir", "mbox", "none"] satisfies ExportOptions["mail"][])
        .default("maildir"),
    )
    .option(
      "--include-dkim-keys",
      "include the private DKIM keys; anyone who has them can sign as your domains",
    )
    .option("--json", "print the manifest as JSON")
    .addHelpText("after", HELP)
    .action(async ({ json, ...options }: ExportOptions & { json?: boolean }) => {
      const { exportCompany } = await import("#server/cli/export/export-company.ts");
      const { out, ...manifest } = await exportCompany(options);
      print(json, { out, ...manifest }, `Exported ${manifest.company.name} to ${out}`);
    });
}
