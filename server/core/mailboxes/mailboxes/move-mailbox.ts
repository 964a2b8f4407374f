import { eq } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { requireUnit } from "#server/core/mailboxes/org-units/require-unit.ts";
import { requireNoPrivilegeEscalation } from "#server/core/access/privileges/require-no-privilege-escalation.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { lockMailbox } from "./require-mailbox.ts";
import { requirePrivilegeIn } from "./require-privilege-in.ts";

/**
 * Moves a mailbox to another unit, whose policies then apply. Its quota stays.
 *
 * @throws Refusal `not_found` for the mailbox, `invalid` for a unit of another company, `invalid_permission`
 *   if `callerPrivileges` don't include both units or hold more privileges in the new one
 */
export async function moveMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
  unitId: number,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const to = await requireUnit(ctx, unitId);
    const mailbox = await lockMailbox(ctx, address);
    for (const unit of [mailbox.orgUnitId, to])
      requirePrivilegeIn(callerPrivileges, "update_users", unit);
    if (mailbox.orgUnitId === to) return;
    requireNoPrivilegeEscalation(callerPrivileges, [mailbox.orgUnitId], to);
    await ctx.db
      .update(mailboxes)
      .set({ orgUnitId: to })
      .where(eq(mailboxes.address, mailbox.address));
    const details = { mailbox: mailbox.address, from: mailbox.orgUnitId, to };
    await recordAudit(ctx, "mailbox.moved", details);
  });
}
