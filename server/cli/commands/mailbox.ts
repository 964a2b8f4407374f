import type { Command } from "commander";

import { CommandError } from "#server/cli/command-error.ts";

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
        const { printMoves } = await import("#server/cli/mail-hosts/print-mail-hosts.ts");
        return printMoves(json);
      }
      if (address === undefined || to === undefined)
        throw new CommandError(
          "Specify a mailbox and a mail host (ADDRESS --to HOST), or use --list",
        );
      const { moveMailbox } = await import("#server/cli/mail-hosts/move-mailbox.ts");
      await moveMailbox(address.toLowerCase(), to.toLowerCase());
    });
  mailbox
    .command("hosts")
    .description(
      "list the mail hosts, how many mailboxes each stores, and mailbox moves in progress",
    )
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { printHosts } = await import("#server/cli/mail-hosts/print-mail-hosts.ts");
      await printHosts(json);
    });
}
