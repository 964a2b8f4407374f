import { z } from "zod";

import { replayEvent as replay } from "#server/core/webhooks/events/webhook-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EventPath } from "./event-row.ts";
import { NOT_FOUND } from "./webhook-row.ts";

export const replayEvent = defineEndpoint({
  method: "POST",
  path: "/console/api/webhooks/{id}/events/{event_id}/replay",
  summary: "Replay an event",
  permission: "console",
  privilege: "api_controls",
  params: EventPath,
  notFound: NOT_FOUND,
  response: z.object({ id: z.string() }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params }) {
    await replay(ctx, params.id, params.event_id);
    return { id: params.event_id };
  },
});
