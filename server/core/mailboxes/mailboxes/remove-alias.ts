import { and, eq } from "drizzle-orm";

import { type Alias, addresses, aliases } from "#drizzle/schema/index.ts";
import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import { requireMayDelete } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { recordDeleted } from "#server/core/shared/deleted-items/record-deleted.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/in-revoking-transaction.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { checkMailServer } from "./require-mail-server.ts";
import { lockMailbox } from "./require-mailbox.ts";
import { requirePrivilegeIn } from "./require-privilege-in.ts";

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
