import { eq, inArray } from "drizzle-orm";

import {
  addresses,
  aliases,
  mailboxSignIns,
  mailboxUsage,
  removedStores,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { listMailHosts } from "#server/core/mailboxes/mail-hosts/list-mail-hosts.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { dropHeld } from "#server/core/sending/messages/drop-held.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { checkMailServer } from "./require-mail-server.ts";
import { lockMailbox } from "./require-mailbox.ts";

/** Enough for its sessions to end and running deliveries to finish. */
const REMOVED_AFTER_MS = 15_000;

/**
 * Deletes a mailbox with its mail and aliases. Groups keep its address as a member. Its folder is removed a
 * little later; a new mailbox with the same address gets a different folder.
 *
 * @returns its address
 * @throws Refusal `not_found`, `mail_server_error`
 */
export async function deleteMailbox(ctx: Context, named: string): Promise<string> {
  const requireAnswer = await checkMailServer(ctx);
  const address = await inTransaction(ctx, async (ctx) => {
    const { address, store } = await lockMailbox(ctx, named);
    const removed = await removeAddresses(ctx, address);
    await ctx.db.delete(mailboxUsage).where(eq(mailboxUsage.address, address));
    await ctx.db.delete(mailboxSignIns).where(eq(mailboxSignIns.address, address));
    await ctx.db.delete(signInNetworks).where(eq(signInNetworks.account, address));
    await dropHeld(ctx, address);
    await recordRemovedStore(ctx, { store, address });
    const runAt = new Date(ctx.now().getTime() + REMOVED_AFTER_MS);
    await enqueue(ctx.db, "remove_mail_stores", {}, { runAt });
    await revokeSessions(ctx, address);
    await recordAudit(ctx, "mailbox.deleted", { mailbox: address, aliases: removed });
    requireAnswer();
    return address;
  });
  wakeMessages(ctx.db);
  await endMailAppSessions(ctx, address);
  return address;
}

/** On all mail hosts: a move may have left a copy on another one. */
async function recordRemovedStore(
  ctx: Context,
  { store, address }: { store: string; address: string },
): Promise<void> {
  const hosts = await listMailHosts(ctx.db);
  const storeHosts = hosts.length === 0 ? [null] : hosts.map(({ name }) => name);
  const rows = storeHosts.map((storeHost) => ({ store, address, storeHost }));
  await ctx.db.insert(removedStores).values(rows);
}

/** The mailbox's rows are deleted with its address. */
async function removeAddresses(ctx: Context, address: string): Promise<string[]> {
  const own = await ctx.db
    .select({ address: aliases.address })
    .from(aliases)
    .where(eq(aliases.mailbox, address))
    .orderBy(aliases.address);
  const aliasAddresses = own.map((alias) => alias.address);
  const all = [...aliasAddresses, address];
  // Lock in address order, like other code that deletes several addresses, to avoid deadlocks.
  await ctx.db
    .select({ address: addresses.address })
    .from(addresses)
    .where(inArray(addresses.address, all))
    .orderBy(addresses.address)
    .for("update");
  await ctx.db.delete(addresses).where(inArray(addresses.address, all));
  return aliasAddresses;
}
