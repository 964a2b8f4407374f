import { eq, inArray, or } from "drizzle-orm";

import {
  addresses,
  aliases,
  appPasswords,
  forwardSuspensions,
  type Mailbox,
  mailboxContacts,
  mailboxes,
  mailboxIdentities,
  mailboxMoves,
  mailboxPasskeys,
  mailboxRecoveryCodes,
  mailboxRules,
  mailboxShares,
  mailboxSignIns,
  mailboxUsage,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { recordDeleted } from "#server/core/shared/deleted-items/record-deleted.ts";

/**
 * Keeps a locked mailbox that is about to be deleted. Its mail stays in its folder, which no user has from now on.
 *
 * @param own its aliases
 * @returns the id to restore it by
 */
export async function keepMailbox(ctx: Context, mailbox: Mailbox, own: string[]): Promise<string> {
  const { address, name: title, domainId, store, storeHost } = mailbox;
  const all = [address, ...own];
  const [usage] = await ctx.db.select().from(mailboxUsage).where(eq(mailboxUsage.address, address));
  const item = {
    ...{ kind: "mailbox" as const, name: address, title, domainId, addresses: all },
    ...{ store, storeHost, storageBytes: usage?.usedBytes ?? 0, messages: usage?.messages ?? 0 },
  };
  return recordDeleted(ctx, item, [
    [addresses, inArray(addresses.address, all)],
    [mailboxes, eq(mailboxes.address, address)],
    [aliases, eq(aliases.mailbox, address)],
    [appPasswords, eq(appPasswords.mailbox, address)],
    [mailboxPasskeys, eq(mailboxPasskeys.email, address)],
    [mailboxIdentities, eq(mailboxIdentities.mailbox, address)],
    [mailboxRecoveryCodes, eq(mailboxRecoveryCodes.email, address)],
    [mailboxRules, eq(mailboxRules.mailbox, address)],
    [mailboxShares, or(eq(mailboxShares.mailbox, address), eq(mailboxShares.member, address))!],
    [forwardSuspensions, eq(forwardSuspensions.mailbox, address)],
    [mailboxContacts, eq(mailboxContacts.mailbox, address)],
    [mailboxMoves, eq(mailboxMoves.mailbox, address)],
    [mailboxUsage, eq(mailboxUsage.address, address)],
    [mailboxSignIns, eq(mailboxSignIns.address, address)],
    [signInNetworks, eq(signInNetworks.account, address)],
  ]);
}
