import type { Command } from "commander";

import type { ImportOptions } from "#server/cli/imports/import-mail.ts";

const EXAMPLES = `
The password is read from POSTHOUSE_IMPORT_PASSWORD, from --password-file, or asked for; it is never an argument.
The CSV file has the columns account, password and mailbox, with one line for each mailbox.

Interrupt and repeat the command at any time: each message is imported once.

Examples:
  posthouse import --from imaps://imap.gmail.com --user ann@example.com --to ann@example.com
  posthouse import --from imap://mail.old.example --csv mailboxes.csv
`;

export function addImportCommand(program: Command): void {
  program
    .command("import")
    .description(
      "import mail from another IMAP server into mailboxes, and show progress until it ends",
    )
    .requiredOption("--from <url>", "the server: imaps://HOST (TLS), or imap://HOST (STARTTLS)")
    .option("--user <account>", "the account at that server")
    .option("--to <mailbox>", "the mailbox that gets the mail")
    .option("--csv <file>", "import several accounts: account,password,mailbox")
    .option("--password-file <file>", "read the password from a file; - for standard input")
    .option("--oauth", "the password is an OAuth access token")
    .option("--keep-password", "store the password, encrypted, for a final import from the console")
    .option("--unencrypted", "sign in without TLS; anyone on the way can read the password")
    .option("--allow-private-address", "accept a server in a private network")
    .addHelpText("after", EXAMPLES)
    .action(async (options: ImportOptions) => {
      const { importMail } = await import("#server/cli/imports/import-mail.ts");
      await importMail(options);
    });
}
