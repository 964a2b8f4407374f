import { inArray } from "drizzle-orm";

import { webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { forEachEventBatch } from "#server/core/webhooks/events/event-batches.ts";
import { isWebhook, requireWebhook, webhookNotFound } from "./require-webhook.ts";

/**
 * Deletes a webhook of the company with its events and their attempts. An attempt in progress may still
 * arrive.
 *
 * Deletes events first, in small transactions: publishing events needs the webhook's row, and would wait
 * while it is being deleted, holding the quota locks.
 *
 * @throws Refusal `not_found`
 */
export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  const { id: webhookId, endpoint } = await requireWebhook(ctx, id);
  await forEachEventBatch(ctx, { webhookId }, async (ctx, ids) => {
    // Skips locked events; deleting the webhook deletes them too.
    const isInBatch = inArray(webhookEvents.id, ids);
    const { id } = webhookEvents;
    const free = ctx.db
      .select({ id })
      .from(webhookEvents)
      .where(isInBatch)
      .for("update", { skipLocked: true });
    await ctx.db.delete(webhookEvents).where(inArray(id, free));
  });
  await inTransaction(ctx, async (ctx) => {
    const deleted = await ctx.db
      .delete(webhooks)
      .where(isWebhook(ctx, webhookId))
      .returning({ id: webhooks.id });
    if (deleted.length === 0) throw webhookNotFound();
    await recordAudit(ctx, "webhook.deleted", { webhookId, endpoint });
  });
}
