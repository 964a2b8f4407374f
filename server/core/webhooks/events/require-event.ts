import { and, eq, getTableColumns } from "drizzle-orm";

import { type Webhook, type WebhookEvent, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { parseEventId } from "./event-id.ts";
import { isWebhook, requireWebhook } from "#server/core/webhooks/endpoints/require-webhook.ts";

/**
 * Returns the event with this public id (`msg_…`), and the status of its webhook.
 *
 * @throws Refusal `not_found` for the webhook or, if that exists, for the event
 */
export async function requireEvent(
  ctx: Context,
  webhookId: string,
  eventId: string,
): Promise<WebhookEvent & { webhookStatus: Webhook["status"] }> {
  const id = parseEventId(eventId);
  const [event] =
    id === null
      ? []
      : await ctx.db
          .select({ ...getTableColumns(webhookEvents), webhookStatus: webhooks.status })
          .from(webhookEvents)
          .innerJoin(webhooks, eq(webhooks.id, webhookEvents.webhookId))
          .where(and(isWebhook(ctx, webhookId), eq(webhookEvents.id, id)));
  if (event) return event;
  await requireWebhook(ctx, webhookId);
  throw eventNotFound();
}

export const eventNotFound = () => new Refusal("not_found", "Webhook event not found");
