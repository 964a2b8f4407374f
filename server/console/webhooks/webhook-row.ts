import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/core/webhooks/events/event-types.ts";
import type { ShownWebhook } from "#server/core/webhooks/endpoints/webhooks.ts";
import type { WebhookHealth } from "#server/core/webhooks/endpoints/webhook-health.ts";

export const NOT_FOUND = "Webhook not found";
export const WebhookPath = z.object({ id: z.uuid() });

export const EventType = z.enum(WEBHOOK_EVENT_TYPES);
export const WebhookStatus = z.enum(["enabled", "disabled"]);

const count = z.number();

/** Excludes the secret; see get-signing-secret.ts. */
export const WebhookRow = z.object({
  id: z.uuid(),
  endpoint: z.string(),
  events: z.array(EventType),
  status: WebhookStatus,
  is_test: z.boolean().describe("Created with a test key: receives only events of test emails"),
  disabled_for_failures: z.boolean().describe("Disabled automatically after 100 failures in a row"),
  failures: count.describe("Failed attempts in a row"),
  failing_since: z.string().nullable(),
  created_at: z.string(),
  health: z
    .object({ delivered: count, failed: count, waiting: count })
    .describe("Events of the last 24 hours, up to 10,000"),
});

const NOTHING: WebhookHealth = { delivered: 0, failed: 0, waiting: 0 };

export function webhookRow(
  webhook: ShownWebhook,
  health: WebhookHealth = NOTHING,
): z.input<typeof WebhookRow> {
  return {
    id: webhook.id,
    endpoint: webhook.endpoint,
    // Only known types are stored.
    events: EventType.array().parse(webhook.events),
    status: webhook.status,
    is_test: webhook.isTest,
    disabled_for_failures: webhook.disabledForFailuresAt !== null,
    failures: webhook.failures,
    failing_since: webhook.failingSince && consoleTimestamp(webhook.failingSince),
    created_at: consoleTimestamp(webhook.createdAt),
    health,
  };
}
