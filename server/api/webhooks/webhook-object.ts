import { z } from "zod";

import { apiTimestamp, isoTimestamp } from "#server/api/timestamp.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/core/webhooks/events/event-types.ts";
import type { ShownWebhook } from "#server/core/webhooks/endpoints/webhooks.ts";

export const object = z.literal("webhook").describe("Object type");
export const id = z.uuid().describe("The webhook's ID; also the pagination cursor");
const signingSecret = z
  .string()
  .describe("Secret that signs the webhook's requests: `whsec_` followed by base64");

const fields = {
  id,
  endpoint: z.string().describe("HTTPS URL that receives the events"),
  events: z.array(z.enum(WEBHOOK_EVENT_TYPES)).describe("Subscribed event types"),
  status: z
    .enum(["enabled", "disabled"])
    .describe("While `disabled`, pending events are not delivered and new events are not recorded"),
};

export const WebhookListItem = z.object({
  ...fields,
  created_at: z.string().describe("When the webhook was created"),
  signing_secret: signingSecret,
});

export const WebhookObject = z
  .object({
    object,
    ...fields,
    created_at: z.string().describe("When the webhook was created, in ISO 8601"),
    signing_secret: signingSecret,
  })
  .meta({ id: "Webhook" });

export const WebhookPath = z.object({
  id: z.uuid().toLowerCase().describe("The webhook's ID"),
});

export const NOT_FOUND = "Webhook not found";

/** The response to a change of a webhook. */
export const WebhookChanged = z.object({ object, id }).meta({ id: "WebhookChanged" });

/** The response that contains a new signing secret. */
export const WebhookSecret = z
  .object({ object, id, signing_secret: signingSecret })
  .meta({ id: "WebhookSecret" });

function commonFields({ id, endpoint, events, status, signingSecret }: ShownWebhook) {
  return {
    ...{ id, endpoint, status, signing_secret: signingSecret },
    // Core validated the types before storing them.
    events: events as z.input<typeof WebhookObject>["events"],
  };
}

export const webhookListItem = (webhook: ShownWebhook): z.input<typeof WebhookListItem> => ({
  ...commonFields(webhook),
  created_at: apiTimestamp(webhook.createdAt),
});

export const webhookObject = (webhook: ShownWebhook): z.input<typeof WebhookObject> => ({
  object: "webhook",
  ...commonFields(webhook),
  created_at: isoTimestamp(webhook.createdAt),
});

export const webhookChanged = (id: string) => ({ object: "webhook" as const, id });
