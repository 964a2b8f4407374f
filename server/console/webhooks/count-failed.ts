import { z } from "zod";

import { countFailed as count } from "#server/core/webhooks/events/webhook-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, WebhookPath } from "./webhook-row.ts";

export const countFailed = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks/{id}/failed-count",
  summary: "Count the events that replaying all failed events would deliver",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: z.object({ failed: z.number() }),
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => ({ failed: await count(ctx, id) }),
});
