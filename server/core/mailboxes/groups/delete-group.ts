import { eq } from "drizzle-orm";

import {
  addresses,
  failingMembers,
  groupMembers,
  groups,
  mailboxShares,
} from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { recordDeleted } from "#server/core/shared/deleted-items/record-deleted.ts";
import { requireMayDelete } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { checkMailServer } from "#server/core/mailboxes/mailboxes/require-mail-server.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/in-revoking-transaction.ts";

import { lockGroup } from "./internal/require-group.ts";

/**
 * Deletes a group with its settings and members, and keeps it to be restored. Mail already distributed is still delivered; posts awaiting
 * moderation can then only be discarded.
 *
 * @returns its address, and the id to restore it by
 * @throws Refusal `not_found`, `mail_server_error`; `invalid_permission` as `requireMayDelete`
 */
export async function deleteGroup(
  ctx: Context,
  named: string,
): Promise<{ address: string; deletedId: string }> {
  const requireAnswer = await checkMailServer(ctx);
  return inRevokingTransaction(ctx, async (ctx) => {
    const { address, name: title } = await lockGroup(ctx, named);
    await requireMayDelete(ctx, [address]);
    const deletedId = await keepGroup(ctx, address, title);
    await ctx.db.delete(addresses).where(eq(addresses.address, address));
    await recordAudit(ctx, "group.deleted", { group: address });
    requireAnswer();
    return { address, deletedId };
  });
}

async function keepGroup(ctx: Context, address: string, title: string): Promise<string> {
  const is = eq(addresses.address, address);
  const [row] = await ctx.db.select().from(addresses).where(is);
  const item = { kind: "group" as const, name: address, title, domainId: row!.domainId };
  return recordDeleted(ctx, { ...item, addresses: [address] }, [
    [addresses, is],
    [groups, eq(groups.address, address)],
    [groupMembers, eq(groupMembers.groupAddress, address)],
    [mailboxShares, eq(mailboxShares.member, address)],
    [failingMembers, eq(failingMembers.groupAddress, address)],
  ]);
}
