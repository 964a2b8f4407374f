import { webhooks } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";

import { isWebhook, webhookNotFound } from "./require-webhook.ts";

/**
 * Deletes a webhook of the company with its events and their attempts. Nothing is sent to it any more,
 * but for an attempt that is on its way.
 *
 * @throws Refusal `not_found`
 */
export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const [deleted] = await ctx.db
      .delete(webhooks)
      .where(isWebhook(ctx, id))
      .returning({ id: webhooks.id, endpoint: webhooks.endpoint });
    if (!deleted) throw webhookNotFound();
    const { id: webhookId, endpoint } = deleted;
    await recordAudit(ctx, "webhook.deleted", { webhookId, endpoint });
  });
}
