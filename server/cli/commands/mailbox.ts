import { setTimeout as sleep } from "node:timers/promises";

import type { Command } from "commander";

import type { Db } from "#server/db/client.ts";

import { print, table } from "./print.ts";

const LOOK_EVERY_MS = 500;

export function addMailboxCommand(program: Command): void {
  const mailbox = program
    .command("mailbox")
    .description("manage where mailboxes are stored, if there are several mail hosts");
  mailbox
    .command("move <address>")
    .description("move a mailbox to another mail host, while it stays in use")
    .requiredOption("--to <host>", "the name of the mail host (POSTHOUSE_MAIL_HOST there)")
    .action(async (address: string, { to }: { to: string }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { requestMove } = await import("#server/core/mailboxes/mail-hosts/moves.ts");
      await withDatabase(async (db) => {
        await requestMove(db, address.toLowerCase(), to.toLowerCase());
        await untilMoved(db, address.toLowerCase());
      });
      console.log(`${address} is on ${to}`);
    });
  mailbox
    .command("hosts")
    .description("list the mail hosts and how many mailboxes each stores")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { countMailboxes } =
        await import("#server/core/mailboxes/mail-hosts/count-mailboxes.ts");
      const hosts = await withDatabase(countMailboxes);
      const rows = hosts.map(({ name, mailboxes, isRunning }) => [
        ...[name, `${mailboxes} ${mailboxes === 1 ? "mailbox" : "mailboxes"}`],
        isRunning ? "running" : "not running",
      ]);
      print(json, hosts, rows.length > 0 ? table(rows) : "All mailboxes are on one host");
    });
}

/** The mail host carries the move out, so it continues if this command is interrupted. */
async function untilMoved(db: Db, address: string): Promise<void> {
  const { findMove } = await import("#server/core/mailboxes/mail-hosts/moves.ts");
  let said: string | null = null;
  for (;;) {
    const move = await findMove(db, address);
    if (!move || move.copiedAt !== null) return;
    if (move.problem !== null && move.problem !== said)
      console.error(`posthouse: ${move.problem}; trying again`);
    said = move.problem;
    await sleep(LOOK_EVERY_MS);
  }
}
