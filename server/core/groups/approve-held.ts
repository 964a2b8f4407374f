import { and, eq } from "drizzle-orm";

import { quarantine, quarantineContents } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";
import { Refusal } from "#server/core/refusals.ts";

export const heldNotFound = () => new Refusal("not_found", "Held message not found");

/**
 * Lets a message that waits for a moderator through to the group's members, once.
 *
 * @param id of its row in `quarantine`
 * @throws Refusal `not_found` when it is not held any more
 */
export async function approveHeld(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const [held] = await ctx.db
      .select()
      .from(quarantine)
      .innerJoin(quarantineContents, eq(quarantineContents.quarantineId, quarantine.id))
      .where(
        and(
          eq(quarantine.id, id),
          eq(quarantine.companyId, ctx.companyId),
          eq(quarantine.reason, "moderation"),
        ),
      )
      .for("update");
    if (!held) throw heldNotFound();
    await recordAudit(ctx, "group.post_approved", { id });
  });
}
