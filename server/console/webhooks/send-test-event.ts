import { z } from "zod";

import { toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { sendTestEvent as send } from "#server/core/webhooks/events/send-test-event.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, WebhookPath } from "./webhook-row.ts";

export const sendTestEvent = defineEndpoint({
  method: "POST",
  path: "/console/api/webhooks/{id}/test",
  summary: "Send a test event",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: z.object({ event_id: z.string() }),
  refusals: ["not_found", "invalid", "rate_limit_exceeded"],
  handle: async ({ ctx, params: { id } }) => ({ event_id: toEventId(await send(ctx, id)) }),
});
