import { type Alias, aliases } from "#drizzle/schema/index.ts";
import {
  isCatchAll,
  lockVerifiedDomain,
  readNewAddressOrCatchAll,
  reserveAddress,
} from "#server/core/mailboxes/addresses/new-address.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { checkMailServer } from "./require-mail-server.ts";
import { lockMailbox } from "./require-mailbox.ts";
import { requireCompanyPrivilege, requirePrivilegeIn } from "./require-privilege-in.ts";

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
    const domainId = await lockVerifiedDomain(ctx, addressDomain(address), "address");
    const { address: owner, orgUnitId } = await lockMailbox(ctx, mailbox);
    requirePrivilegeIn(callerPrivileges, "update_users", orgUnitId);
    if (isCatchAll(address)) requireCompanyPrivilege(callerPrivileges, "update_users");
    if (address === owner)
      throw new Refusal("invalid", "address: is already the mailbox's own address");
    const alias = await insertAlias(ctx, { address, domainId, mailbox: owner, field: "address" });
    await refreshRules(ctx, owner);
    requireAnswer();
    return alias;
  });
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
 * The database part of `addAlias`, for use in the caller's transaction.
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
