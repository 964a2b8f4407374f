import { and, eq } from "drizzle-orm";

import { addresses } from "#drizzle/schema/index.ts";
import { requireMayDelete } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { recordDeleted } from "#server/core/shared/deleted-items/record-deleted.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Deletes an inbound address, and keeps it to be restored. Mail to it is rejected from then on; what it received stays.
 *
 * @returns the address, and the id to restore it by
 * @throws Refusal `not_found`; `invalid_permission` as `requireMayDelete`
 */
export async function deleteInboundAddress(
  ctx: Context,
  address: string,
): Promise<{ address: string; deletedId: string }> {
  return inTransaction(ctx, async (ctx) => {
    const is = and(
      eq(addresses.address, address.toLowerCase()),
      eq(addresses.companyId, ctx.companyId),
      eq(addresses.kind, "inbound"),
    )!;
    const [found] = await ctx.db.select().from(addresses).where(is).for("update");
    if (!found) throw new Refusal("not_found", "Inbound address not found");
    const { address: name, domainId } = found;
    await requireMayDelete(ctx, [name]);
    const item = { kind: "inbound" as const, name, title: "", domainId, addresses: [name] };
    const deletedId = await recordDeleted(ctx, item, [[addresses, is]]);
    await ctx.db.delete(addresses).where(is);
    await recordAudit(ctx, "inbound_address.deleted", { address: name });
    return { address: name, deletedId };
  });
}
