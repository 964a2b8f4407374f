import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { auditDetails, removePendingPost } from "./approve-post.ts";

/**
 * Deletes a message that is waiting for moderation, without notifying its author.
 *
 * @param id of its row in `quarantine`
 * @throws Refusal `not_found` if it is no longer waiting
 */
export async function rejectPost(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { held } = await removePendingPost(ctx, id);
    await recordAudit(ctx, "group.post_rejected", auditDetails(held));
  });
}
