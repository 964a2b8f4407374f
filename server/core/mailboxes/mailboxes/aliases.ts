import { and, eq } from "drizzle-orm";

import { addresses, type Alias, aliases } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  isCatchAll,
  lockVerifiedDomain,
  readNewAddressOrCatchAll,
  reserveAddress,
} from "#server/core/mailboxes/addresses/addresses.ts";
import { requireMayDelete } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { addressDomain, readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { recordDeleted } from "#server/core/shared/deleted-items/deleted-items.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { viewableMailboxes } from "./mailbox-list.ts";
import {
  checkMailServer,
  lockMailbox,
  requireCompanyPrivilege,
  requireMailbox,
  requirePrivilegeIn,
} from "./require-mailbox.ts";

/**
 * Adds an alias to a mailbox, which can receive and send with it at once. `*@example.com` is a catch-all: it receives
 * mail to all addresses of the domain that don't exist, and can't send. It requires the privilege in the
 * whole company, because it receives mail meant for any unit.
 *
 * @throws Refusal `invalid`, `not_found`, `invalid_permission`, `already_exists`, `mail_server_error`
 */
export async function addAlias(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: string,
  written: string,
): Promise<Alias> {
  const address = readNewAddressOrCatchAll(written, "address");
  const requireAnswer = await checkMailServer(ctx);
  return inTransaction(ctx, async (ctx) => {
    const alias = await addParsedAlias(ctx, callerPrivileges, mailbox, address);
    requireAnswer();
    return alias;
  });
}

/**
 * The database part of `addAlias`, for use in the caller's transaction.
 *
 * @throws Refusal as `addAlias`
 */
export async function addParsedAlias(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: string,
  address: string,
): Promise<Alias> {
  const domainId = await lockVerifiedDomain(ctx, addressDomain(address), "address");
  const { address: owner, orgUnitId } = await lockMailbox(ctx, mailbox);
  requirePrivilegeIn(callerPrivileges, "update_users", orgUnitId);
  if (isCatchAll(address)) requireCompanyPrivilege(callerPrivileges, "update_users");
  if (address === owner)
    throw new Refusal("invalid", "address: is already the mailbox's own address");
  const alias = await insertAlias(ctx, { address, domainId, mailbox: owner, field: "address" });
  await refreshRules(ctx, owner);
  return alias;
}

type NewAlias = {
  /** Parsed. */
  address: string;
  /** Locked. */
  domainId: string;
  mailbox: string;
  /** The request field, for the error message. */
  field: string;
};

/**
 * Reserves and writes an alias, in the caller's transaction.
 *
 * @throws Refusal `already_exists`
 */
export async function insertAlias(ctx: Context, { mailbox, ...asked }: NewAlias): Promise<Alias> {
  const { address } = asked;
  await reserveAddress(ctx, { ...asked, kind: "alias" });
  const [alias] = await ctx.db.insert(aliases).values({ address, mailbox }).returning();
  await recordAudit(ctx, "alias.added", { alias: address, mailbox });
  return alias!;
}

/**
 * Lists a mailbox's aliases by address.
 *
 * @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing it
 */
export async function listAliases(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: string,
): Promise<Alias[]> {
  const { address } = await requireMailbox(ctx, mailbox, viewableMailboxes(callerPrivileges));
  return ctx.db.select().from(aliases).where(eq(aliases.mailbox, address)).orderBy(aliases.address);
}

/**
 * Removes an alias from a mailbox, and keeps it to be restored; mail to it is rejected from then on.
 *
 * @throws Refusal `not_found` for the mailbox or the alias, `invalid_permission`, `mail_server_error`
 */
export async function removeAlias(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: string,
  named: string,
): Promise<Alias> {
  const requireAnswer = await checkMailServer(ctx);
  return inRevokingTransaction(ctx, async (ctx) => {
    const { address: owner, orgUnitId } = await lockMailbox(ctx, mailbox);
    requirePrivilegeIn(callerPrivileges, "update_users", orgUnitId);
    const [alias] = await ctx.db
      .select()
      .from(aliases)
      .where(and(eq(aliases.address, readBareAddress(named) ?? ""), eq(aliases.mailbox, owner)));
    if (!alias) throw new Refusal("not_found", "Alias not found");
    await requireMayDelete(ctx, [alias.address]);
    await keepAlias(ctx, alias);
    // The alias may be a group member and so give access to shared mailboxes.
    await ctx.db.delete(addresses).where(eq(addresses.address, alias.address));
    await refreshRules(ctx, owner);
    await recordAudit(ctx, "alias.removed", { alias: alias.address, mailbox: owner });
    requireAnswer();
    return alias;
  });
}

async function keepAlias(ctx: Context, { address, mailbox }: Alias): Promise<void> {
  const is = eq(addresses.address, address);
  const [row] = await ctx.db.select().from(addresses).where(is);
  const item = { kind: "alias" as const, name: address, title: mailbox, domainId: row!.domainId };
  await recordDeleted(ctx, { ...item, addresses: [address] }, [
    [addresses, is],
    [aliases, eq(aliases.address, address)],
  ]);
}
