import { and, eq, inArray, notExists, sql } from "drizzle-orm";

import {
  addresses,
  aliases,
  mailboxes,
  mailboxShares,
  mailboxSignIns,
  mailboxUsage,
  removedStores,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { deleteMailboxLink } from "#server/core/access/single-sign-on/mailbox-links.ts";
import {
  requireMayDelete,
  requireMayOpen,
} from "#server/core/mailboxes/addresses/require-may-open.ts";
import { keepMailbox } from "#server/core/mailboxes/deleted/deleted-mailboxes.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { dropHeld } from "#server/core/sending/messages/held-messages.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { reservesNames } from "#server/core/shared/deleted-items/deleted-items.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { removeMailStore } from "#server/gateways/mail-store.ts";

import { endMailAppSessions, revokeSessions } from "./mailbox-sessions.ts";
import { checkMailServer, lockMailbox, requirePrivilegeIn } from "./require-mailbox.ts";

/**
 * Deletes a mailbox with its aliases, and keeps it with its mail to be restored. Its mail on hold stays on hold, unless the address is free at
 * once. Groups keep its address as a member. A new mailbox with the same address gets a different folder.
 *
 * @param deliverTo another mailbox of the company, of which all its addresses become aliases until it is restored; without one, mail to them is
 *   rejected
 * @returns its address, and the id to restore it by
 * @throws Refusal `not_found`, `mail_server_error`; `invalid` for `deliverTo`; `invalid_permission` as `requireMayDelete`, or `requireMayOpen`
 *   with `deliverTo`
 */
export async function deleteMailbox(
  ctx: Context,
  named: string,
  { deliverTo }: { deliverTo?: string | undefined } = {},
): Promise<{ address: string; deletedId: string }> {
  const requireAnswer = await checkMailServer(ctx);
  const deleted = await inRevokingTransaction(ctx, async (ctx) => {
    const mailbox = await lockMailbox(ctx, named);
    const { address } = mailbox;
    const heir = deliverTo === undefined ? null : await lockHeir(ctx, address, deliverTo);
    const own = await lockAddresses(ctx, address);
    const deletedId = await keepMailbox(ctx, mailbox, own);
    const all = [address, ...own];
    if (heir === null) {
      await requireMayDelete(ctx, all);
      await ctx.db.delete(addresses).where(inArray(addresses.address, all));
    } else {
      await requireMayOpen(ctx, all);
      await handOver(ctx, address, heir);
      const added = all.toSorted().map((alias) => ({ alias, mailbox: heir }));
      await recordAudits(ctx, "alias.added", added);
    }
    await ctx.db.delete(mailboxUsage).where(eq(mailboxUsage.address, address));
    await ctx.db.delete(mailboxSignIns).where(eq(mailboxSignIns.address, address));
    await ctx.db.delete(signInNetworks).where(eq(signInNetworks.account, address));
    if (!reservesNames(ctx)) await dropHeld(ctx, address, { returnsForwards: heir !== null });
    await revokeSessions(ctx, address);
    await recordAudit(ctx, "mailbox.deleted", { mailbox: address, aliases: own });
    requireAnswer();
    return { address, deletedId };
  });
  wakeMessages(ctx.db);
  await endMailAppSessions(ctx, deleted.address);
  return deleted;
}

/** The mailbox that is to get the addresses of `address`. */
async function lockHeir(ctx: Context, address: string, named: string): Promise<string> {
  const heir = await lockMailbox(ctx, named).catch((error: unknown) => {
    if (error instanceof Refusal) return null;
    throw error;
  });
  if (heir === null || heir.address === address)
    throw new Refusal("invalid", "Mail can only be delivered to another mailbox of your company", {
      field: "deliver_to",
    });
  return heir.address;
}

/** Deletes a mailbox whose addresses are locked, and makes these aliases of another one. */
async function handOver(ctx: Context, address: string, heir: string): Promise<void> {
  await ctx.db.update(aliases).set({ mailbox: heir }).where(eq(aliases.mailbox, address));
  await ctx.db.delete(mailboxes).where(eq(mailboxes.address, address));
  // Mailboxes that were shared with it aren't shared with the other one, but those that are shared with its groups are: its address
  // stays in them.
  await ctx.db.delete(mailboxShares).where(eq(mailboxShares.member, address));
  await ctx.db.update(addresses).set({ kind: "alias" }).where(eq(addresses.address, address));
  await ctx.db.insert(aliases).values({ address, mailbox: heir });
  await refreshRules(ctx, heir);
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

/**
 * Unlinks a mailbox from its account at the identity provider, such as when that was created again there, and ends the
 * sessions and pending sign-ins that it started. The next sign-in links the account with the mailbox's address.
 *
 * @throws Refusal `not_found`, also if no account is linked; `invalid_permission` if `callerPrivileges` don't include its
 *   unit
 */
export async function unlinkMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { address: mailbox, orgUnitId } = await lockMailbox(ctx, address);
    requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
    await requireMayOpen(ctx, [mailbox]);
    const subject = await deleteMailboxLink(ctx.db, mailbox);
    if (subject === null) throw new Refusal("not_found", `No account is linked to ${mailbox}`);
    await recordAudit(ctx, "single_sign_on.mailbox_unlinked", { mailbox, subject });
  });
}

/**
 * Removes the stored mail of deleted mailboxes, and old copies of moved ones, from this host's disk.
 *
 * @param host the name of this mail host; null if mail hosts have no names
 * @param endCopies ends the copying of a mail store from or to this host, which would create files again
 * @throws AggregateError if some could not be removed, after trying all
 */
export async function removeMailStores(
  db: Db,
  host: string | null = null,
  endCopies: (store: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  // A mail host looks all the time, so the sessions and deliveries of a mailbox may not have ended yet.
  const isHere = sql`${removedStores.storeHost} is not distinct from ${host}::text
    and (${host}::text is null or ${removedStores.createdAt} <
      statement_timestamp() - interval '15 seconds')`;
  const isUnused = notExists(
    db
      .select()
      .from(mailboxes)
      .where(
        and(
          eq(mailboxes.store, removedStores.store),
          sql`${mailboxes.storeHost} is not distinct from ${removedStores.storeHost}`,
        ),
      ),
  );
  const failures: unknown[] = [];
  for (const { store } of await db.select().from(removedStores).where(and(isHere, isUnused)))
    try {
      await endCopies(store);
      await removeMailStore(store);
      await db.delete(removedStores).where(and(isHere, eq(removedStores.store, store)));
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0)
    throw new AggregateError(failures, `Mail could not be removed: ${failures.join("; ")}`);
}

/** The folder of a mailbox's mail below `mail` in the data folder; null if there is no such mailbox. */
export async function findStore(db: Db, address: string): Promise<string | null> {
  const [row] = await db
    .select({ store: mailboxes.store })
    .from(mailboxes)
    .where(eq(mailboxes.address, address));
  return row?.store ?? null;
}

/** The folders of all mailboxes, as in `findStore`. */
export async function listStores(db: Db): Promise<string[]> {
  const rows = await db.select({ store: mailboxes.store }).from(mailboxes);
  return rows.map(({ store }) => store);
}
