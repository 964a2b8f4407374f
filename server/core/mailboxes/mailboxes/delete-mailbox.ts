import { eq, inArray } from "drizzle-orm";

import {
  addresses,
  aliases,
  mailboxSignIns,
  mailboxUsage,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { requireMayDelete } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { keepMailbox } from "#server/core/mailboxes/deleted/keep-mailbox.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/in-revoking-transaction.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { dropHeld } from "#server/core/sending/messages/drop-held.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { checkMailServer } from "./require-mail-server.ts";
import { lockMailbox } from "./require-mailbox.ts";

/**
 * Deletes a mailbox with its aliases, and keeps it with its mail to be restored. Groups keep its address as a member. A new mailbox with the
 * same address gets a different folder.
 *
 * @returns its address, and the id to restore it by
 * @throws Refusal `not_found`, `mail_server_error`; `invalid_permission` as `requireMayDelete`
 */
export async function deleteMailbox(
  ctx: Context,
  named: string,
): Promise<{ address: string; deletedId: string }> {
  const requireAnswer = await checkMailServer(ctx);
  const deleted = await inRevokingTransaction(ctx, async (ctx) => {
    const mailbox = await lockMailbox(ctx, named);
    const { address } = mailbox;
    const own = await lockAddresses(ctx, address);
    await requireMayDelete(ctx, [...own, address]);
    const deletedId = await keepMailbox(ctx, mailbox, own);
    await ctx.db.delete(addresses).where(inArray(addresses.address, [...own, address]));
    await ctx.db.delete(mailboxUsage).where(eq(mailboxUsage.address, address));
    await ctx.db.delete(mailboxSignIns).where(eq(mailboxSignIns.address, address));
    await ctx.db.delete(signInNetworks).where(eq(signInNetworks.account, address));
    await dropHeld(ctx, address);
    await revokeSessions(ctx, address);
    await recordAudit(ctx, "mailbox.deleted", { mailbox: address, aliases: own });
    requireAnswer();
    return { address, deletedId };
  });
  wakeMessages(ctx.db);
  await endMailAppSessions(ctx, deleted.address);
  return deleted;
}

/** The mailbox's rows are deleted with its address. @returns its aliases */
async function lockAddresses(ctx: Context, address: string): Promise<string[]> {
  const own = await ctx.db
    .select({ address: aliases.address })
    .from(aliases)
    .where(eq(aliases.mailbox, address))
    .orderBy(aliases.address);
  const aliasAddresses = own.map((alias) => alias.address);
  // Lock in address order, like other code that deletes several addresses, to avoid deadlocks.
  await ctx.db
    .select({ address: addresses.address })
    .from(addresses)
    .where(inArray(addresses.address, [...aliasAddresses, address]))
    .orderBy(addresses.address)
    .for("update");
  return aliasAddresses;
}
