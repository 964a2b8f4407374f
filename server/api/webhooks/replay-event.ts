import { replayEvent as replay } from "#server/core/webhooks/events/replay-event.ts";
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
  summary: "Deliver an event once more",
  description:
    "At once and whatever became of it before, with the same id and the same body. If it fails, the retry schedule goes on where it was.",
  permission: "full_access",
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
