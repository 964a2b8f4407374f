import { sql } from "drizzle-orm";

import type { WebhookPayload } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import type { WebhookEventType } from "./event-types.ts";

/**
 * Holds the webhooks `w` that events are recorded for. One that somebody deletes at this moment is
 * passed over: without the lock its foreign key would fail, and the change that the event tells of with it.
 */
export const LOCK_WEBHOOKS = sql.raw("for key share of w");

/**
 * Records an event for each enabled webhook of the company that subscribes to its type. Called inside
 * the transaction of the change, so that the event exists exactly when the change does; whoever commits
 * calls `wakeWebhooks` afterwards.
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
    ${LOCK_WEBHOOKS}`);
}
