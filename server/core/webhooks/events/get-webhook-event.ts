import type { WebhookEvent } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import { requireEvent } from "./require-event.ts";

/**
 * Returns an event of a webhook of the company by its public id. No attempt is planned while the webhook is
 * disabled.
 *
 * @throws Refusal `not_found` for the webhook or the event
 */
export async function getWebhookEvent(
  ctx: Context,
  webhookId: string,
  eventId: string,
): Promise<WebhookEvent> {
  const { webhookStatus, ...event } = await requireEvent(ctx, webhookId, eventId);
  return { ...event, nextAttemptAt: webhookStatus === "enabled" ? event.nextAttemptAt : null };
}
