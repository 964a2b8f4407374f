import { and, eq } from "drizzle-orm";

import { quarantine } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";
import { isUuid } from "#server/core/paging/page.ts";

import { heldNotFound } from "./approve-held.ts";

/**
 * Throws away a message that waits for a moderator. Who wrote it is not told.
 *
 * @param id of its row in `quarantine`
 * @throws Refusal `not_found` when it is not held any more
 */
export async function rejectHeld(ctx: Context, id: string): Promise<void> {
  if (!isUuid(id)) throw heldNotFound();
  await inTransaction(ctx, async (ctx) => {
    const [held] = await ctx.db
      .delete(quarantine)
      .where(
        and(
          eq(quarantine.id, id),
          eq(quarantine.companyId, ctx.companyId),
          eq(quarantine.reason, "moderation"),
        ),
      )
      .returning();
    if (!held) throw heldNotFound();
    await recordAudit(ctx, "group.post_rejected", {
      group: held.recipients[0],
      sender: held.sender,
      subject: held.subject,
    });
  });
}
