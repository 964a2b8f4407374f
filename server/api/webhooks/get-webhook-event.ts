import { getWebhookEvent as get } from "#server/core/webhooks/events/webhook-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import {
  WebhookEventObject,
  webhookEventObject,
  WebhookEventPath,
} from "./webhook-event-object.ts";
import { NOT_FOUND } from "./webhook-object.ts";

export const getWebhookEvent = defineEndpoint({
  method: "GET",
  path: "/webhooks/{id}/events/{event_id}",
  summary: "Retrieve an event",
  description: "Includes the payload.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: WebhookEventPath,
  notFound: NOT_FOUND,
  response: WebhookEventObject,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => webhookEventObject(await get(ctx, params.id, params.event_id)),
});
