import { type Command, Option } from "commander";

import type { ExportOptions } from "#server/cli/export/export-company.ts";
import { MAIL_FORMATS } from "#server/cli/export/mail-format.ts";

import { print } from "./print.ts";

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
        .choices([...MAIL_FORMATS, "none"])
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
