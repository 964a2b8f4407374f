import { sql } from "drizzle-orm";

import type { WebhookPayload } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isTestMode } from "#server/core/shared/mode.ts";

import type { WebhookEventType } from "./event-types.ts";

/**
 * Locks the webhooks `w` of new events. Without it, a concurrent deletion would make the foreign key, and
 * with it the caller's transaction, fail; with it, the deleted webhook is skipped.
 */
export const LOCK_WEBHOOKS = sql.raw("for key share of w");

/**
 * Records an event for each enabled webhook of the company that subscribes to its type: test webhooks if `isTest` is
 * set in the context, otherwise all others. Call it in the transaction of the change, so that both commit or neither,
 * and `wakeWebhooks` after the commit.
 */
export async function publishEvent(
  ctx: Context,
  type: WebhookEventType,
  data: Record<string, unknown>,
): Promise<void> {
  const payload: WebhookPayload = { type, created_at: ctx.now().toISOString(), data };
  await ctx.db.execute(sql`
    insert into webhook_events (webhook_id, company_id, type, payload, next_attempt_at, created_at)
    select id, company_id, ${type}, ${JSON.stringify(payload)}::json, clock_timestamp(),
      ${payload.created_at}::timestamptz
    from webhooks w
    where company_id = ${ctx.companyId} and status = 'enabled' and ${type} = any(events)
      and is_test = ${isTestMode(ctx)}
    ${LOCK_WEBHOOKS}`);
}
