import { replayEvent as replay } from "#server/core/webhooks/events/webhook-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import {
  WebhookEventPath,
  WebhookEventQueued,
  webhookEventQueued,
} from "./webhook-event-object.ts";
import { NOT_FOUND } from "./webhook-object.ts";

export const replayEvent = defineEndpoint({
  method: "POST",
  path: "/webhooks/{id}/events/{event_id}/replay",
  summary: "Replay an event",
  description:
    "Delivers the event again immediately, whatever its status, with the same ID and body. If the attempt fails, the retry schedule continues where it was.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: WebhookEventPath,
  notFound: NOT_FOUND,
  response: WebhookEventQueued,
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id, event_id: eventId } }) {
    await replay(ctx, id, eventId);
    return webhookEventQueued(eventId);
  },
});
