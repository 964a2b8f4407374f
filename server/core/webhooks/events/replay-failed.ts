import { and, gt, inArray, sql } from "drizzle-orm";

import { webhookEvents } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { forEachEventBatch } from "./event-batches.ts";
import { replayEvents } from "./replay-event.ts";
import { lockWebhook, requireEnabled } from "#server/core/webhooks/endpoints/require-webhook.ts";
import { wakeWebhooks } from "./wake-deliveries.ts";

/**
 * Replays every failed event of the last 30 days of a webhook of the company, oldest first, each once.
 *
 * @returns the number of events
 * @throws Refusal `not_found`, or `invalid` while the webhook is disabled
 */
export async function replayFailed(ctx: Context, webhookId: string): Promise<number> {
  await inTransaction(ctx, async (ctx) => requireEnabled(await lockWebhook(ctx, webhookId)));
  // No parameter, so that the partial index of failed events serves every plan.
  const isFailed = sql`${webhookEvents.status} = 'failed'`;
  const isKept = gt(webhookEvents.createdAt, sql`statement_timestamp() - interval '30 days'`);
  let all = 0;
  await forEachEventBatch(ctx, { webhookId, which: and(isFailed, isKept) }, async (ctx, ids) => {
    requireEnabled(await lockWebhook(ctx, webhookId));
    // Another request may have replayed them before we got the lock.
    const replayed = await replayEvents(ctx, and(isFailed, inArray(webhookEvents.id, ids)));
    if (replayed === 0) return;
    await recordAudit(ctx, "webhook.failed_events_replayed", { webhookId, replayed });
    all += replayed;
  });
  if (all > 0) wakeWebhooks(ctx.db);
  return all;
}
