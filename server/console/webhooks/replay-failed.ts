import { z } from "zod";

import { replayFailed as replay } from "#server/core/webhooks/events/webhook-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, WebhookPath } from "./webhook-row.ts";

export const replayFailed = defineEndpoint({
  method: "POST",
  path: "/console/api/webhooks/{id}/replay-failed",
  summary: "Replay all failed events",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: z.object({ replayed: z.number() }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id } }) => ({ replayed: await replay(ctx, id) }),
});
