import { quarantine } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { rejectPost } from "#server/core/mail/group-posts/reject-post.ts";

import {
  matchesQuarantined,
  quarantinedNotFound,
  requireQuarantined,
} from "./internal/require-quarantined.ts";
import type { QuarantineReason } from "./visible-reasons.ts";

/**
 * Deletes a quarantined message for good, without notifying anyone.
 *
 * @throws Refusal `not_found` if it is no longer in quarantine
 */
export async function deleteQuarantined(
  ctx: Context,
  id: string,
  reasons: QuarantineReason[],
): Promise<void> {
  const held = await requireQuarantined(ctx, id, reasons);
  if (held.reason === "moderation") {
    await rejectPost(ctx, id);
    return;
  }
  await inTransaction(ctx, async (ctx) => {
    const deleted = await ctx.db
      .delete(quarantine)
      .where(matchesQuarantined(ctx, id, reasons))
      .returning();
    if (deleted.length === 0) throw quarantinedNotFound();
    const { reason, sender, headerFrom: from, subject, recipients } = held;
    await recordAudit(ctx, "quarantine.deleted", { reason, sender, from, subject, recipients });
  });
}
