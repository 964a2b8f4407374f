import { z } from "zod";

import { apiTimestamp, isoTimestamp } from "#server/api/timestamp.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/core/webhooks/events/event-types.ts";
import type { ShownWebhook } from "#server/core/webhooks/endpoints/shown-webhook.ts";

export const object = z.literal("webhook").describe("What kind of object this is");
export const id = z.uuid().describe("Id of the webhook; serves as cursor");
const signingSecret = z.string().describe("`whsec_` and base64: the key that signs what is posted");

const fields = {
  id,
  endpoint: z.string().describe("HTTPS URL that events are posted to"),
  events: z.array(z.enum(WEBHOOK_EVENT_TYPES)).describe("Event types it subscribes to"),
  status: z
    .enum(["enabled", "disabled"])
    .describe(
      "While it is `disabled`, its waiting events are held and what happens is not recorded for it",
    ),
};

export const WebhookListItem = z.object({
  ...fields,
  created_at: z.string().describe("When it was made"),
  signing_secret: signingSecret,
});

export const WebhookObject = z
  .object({
    object,
    ...fields,
    created_at: z.string().describe("When it was made, in ISO 8601"),
    signing_secret: signingSecret,
  })
  .meta({ id: "Webhook" });

/** The path of a webhook. */
export const WebhookPath = z.object({
  id: z.uuid().toLowerCase().describe("Id of the webhook"),
});

/** What `{id}` does not name. */
export const NOT_FOUND = "Webhook not found";

/** Answer of a call that changes a webhook: the id is all there is to know. */
export const WebhookChanged = z.object({ object, id }).meta({ id: "WebhookChanged" });

/** Answer of a call that gives a webhook a secret. */
export const WebhookSecret = z
  .object({ object, id, signing_secret: signingSecret })
  .meta({ id: "WebhookSecret" });

function shown({ id, endpoint, events, status, signingSecret }: ShownWebhook) {
  return {
    ...{ id, endpoint, status, signing_secret: signingSecret },
    // The table holds what core has checked.
    events: events as z.input<typeof WebhookObject>["events"],
  };
}

export const webhookListItem = (webhook: ShownWebhook): z.input<typeof WebhookListItem> => ({
  ...shown(webhook),
  created_at: apiTimestamp(webhook.createdAt),
});

export const webhookObject = (webhook: ShownWebhook): z.input<typeof WebhookObject> => ({
  object: "webhook",
  ...shown(webhook),
  created_at: isoTimestamp(webhook.createdAt),
});

export const webhookChanged = (id: string) => ({ object: "webhook" as const, id });
