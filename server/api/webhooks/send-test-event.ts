import { toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { sendTestEvent as send } from "#server/core/webhooks/events/send-test-event.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { WebhookEventQueued, webhookEventQueued } from "./webhook-event-object.ts";
import { NOT_FOUND, WebhookPath } from "./webhook-object.ts";

export const sendTestEvent = defineEndpoint({
  method: "POST",
  path: "/webhooks/{id}/test",
  summary: "Send a test event",
  description:
    "Queues a sample `email.sent` event, even if the webhook is not subscribed to that type. It is signed and retried like any other event. A webhook can have up to five pending test events.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: WebhookEventQueued,
  refusals: ["not_found", "invalid", "rate_limit_exceeded"],
  handle: async ({ ctx, params }) => webhookEventQueued(toEventId(await send(ctx, params.id))),
});
