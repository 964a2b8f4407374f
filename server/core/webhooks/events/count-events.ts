import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

import { requireWebhook } from "#server/core/webhooks/endpoints/require-webhook.ts";
import { COUNT_LIMIT } from "#server/core/webhooks/endpoints/webhook-health.ts";

/**
 * Counts a webhook's events with an attempt to come, including those of a disabled webhook; up to 10,000.
 *
 * @throws Refusal `not_found`
 */
export async function countWaiting(ctx: Context, webhookId: string): Promise<number> {
  const webhook = await requireWebhook(ctx, webhookId);
  const [row] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select from webhook_events
      where webhook_id = ${webhook.id} and next_attempt_at is not null limit ${COUNT_LIMIT}) waiting`);
  return row!.count;
}

/**
 * Counts the events `replayFailed` would replay. Reads every event of the webhook: use it before the replay,
 * not to render a page.
 *
 * @throws Refusal `not_found`
 */
export async function countFailed(ctx: Context, webhookId: string): Promise<number> {
  const webhook = await requireWebhook(ctx, webhookId);
  const [row] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from webhook_events
    where webhook_id = ${webhook.id} and status = 'failed'
      and created_at > statement_timestamp() - interval '30 days'`);
  return row!.count;
}
