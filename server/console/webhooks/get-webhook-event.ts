import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { getWebhookEvent as get } from "#server/core/webhooks/events/webhook-events.ts";
import { getWebhook } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EventPath, EventRow, eventRow } from "./event-row.ts";
import { NOT_FOUND, WebhookStatus } from "./webhook-row.ts";

const EventDetail = EventRow.extend({
  next_attempt_at: z
    .string()
    .nullable()
    .describe("Null if none is scheduled or the webhook is disabled"),
  is_replay: z.boolean().describe("The next attempt was requested by an admin"),
  payload: z.record(z.string(), z.unknown()).describe("The request body"),
  webhook: z.object({ endpoint: z.string(), status: WebhookStatus }),
});

export const getWebhookEvent = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks/{id}/events/{event_id}",
  summary: "Get an event and its payload",
  permission: "console",
  privilege: "api_controls",
  params: EventPath,
  notFound: NOT_FOUND,
  response: EventDetail,
  refusals: ["not_found"],
  async handle({ ctx, params }) {
    const event = await get(ctx, params.id, params.event_id);
    const { endpoint, status } = await getWebhook(ctx, params.id);
    return {
      ...eventRow(event),
      next_attempt_at: event.nextAttemptAt && consoleTimestamp(event.nextAttemptAt),
      is_replay: event.isReplay,
      payload: event.payload,
      webhook: { endpoint, status },
    };
  },
});
