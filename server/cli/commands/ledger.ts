import type { Command } from "commander";

import { ShownFailure } from "#server/cli/shown-failure.ts";
import type { MailLedger } from "#server/core/operations/ledger/audit-mail.ts";
import type { Ledger } from "#server/core/operations/ledger/ledger.ts";
import { pluralize } from "#server/core/shared/text.ts";

import { print, table } from "./print.ts";

export function addLedgerCommand(program: Command): void {
  program
    .command("ledger")
    .description("verify that every recipient of every accepted email and message is accounted for")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { auditLedger } = await import("#server/core/operations/ledger/ledger.ts");
      const { auditMail } = await import("#server/core/operations/ledger/audit-mail.ts");
      const [emails, mail] = await withDatabase((db) =>
        Promise.all([auditLedger(db), auditMail(db)]),
      );
      // The counts of emails stay at the top level, where existing scripts expect them.
      print(json, { ...emails, mail }, describe(emails, mail));
      const unaccounted = emails.unaccounted + mail.unaccounted;
      if (unaccounted === 0) return;
      console.error(
        `posthouse: ${pluralize(unaccounted, "recipient is", "recipients are")} unaccounted for`,
      );
      throw new ShownFailure();
    });
}

function describe(
  { examples: emailExamples, ...emails }: Ledger,
  { examples: mailExamples, ...mail }: MailLedger,
): string {
  const named = [
    ...emailExamples.map(({ emailId: id, ...rest }) => ({ id, ...rest })),
    ...mailExamples.map(({ messageId: id, ...rest }) => ({ id, ...rest })),
  ];
  const doubts = named.map(({ id, recipient, why }) => `${id} ${recipient ?? "?"}: ${why}`);
  return [
    "Emails sent through the API or the console",
    sums(emails),
    "",
    "Messages from mailbox users, groups and mail rules",
    sums(mail),
    ...doubts,
  ].join("\n");
}

/** Lists accepted first and unaccounted last. */
function sums({
  accepted,
  unaccounted,
  ...states
}: Record<"accepted" | "unaccounted", number> & Record<string, number>): string {
  const counts = Object.entries({ accepted, ...states, unaccounted });
  const width = Math.max(...counts.map(([, count]) => String(count).length));
  return table(counts.map(([name, count]) => [`  ${name}`, String(count).padStart(width)]));
}
