import { z } from "zod";

import { findMove } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { listMailHosts } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { locateMailbox } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import type { Context } from "#server/core/shared/context.ts";

import { MoveRow, moveRow } from "./move-row.ts";

export const MailboxHostPath = z.object({ email: z.string() });

/** The ID is the address. */
export const MailboxHost = z.object({
  id: z.string(),
  mail_host: z.string().nullable().describe("Null if mail hosts have no names"),
  mail_hosts: z.array(z.object({ name: z.string(), is_running: z.boolean() })),
  move: MoveRow.nullable().describe("The move in progress; null once the old copy is deleted"),
});

export async function mailboxHost(
  { db }: Pick<Context, "db">,
  email: string,
): Promise<z.input<typeof MailboxHost>> {
  const { address, storeHost } = await locateMailbox(db, email);
  const [move, hosts] = await Promise.all([findMove(db, address), listMailHosts(db)]);
  return {
    id: address,
    mail_host: storeHost,
    mail_hosts: hosts.map(({ name, isRunning }) => ({ name, is_running: isRunning })),
    move: move && moveRow(move, hosts),
  };
}
