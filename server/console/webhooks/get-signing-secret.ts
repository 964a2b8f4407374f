import { z } from "zod";

import { getWebhook as get } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, WebhookPath } from "./webhook-row.ts";

export const getSigningSecret = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks/{id}/signing-secret",
  summary: "Reveal a webhook's signing secret",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: z.object({ signing_secret: z.string() }),
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => ({
    signing_secret: (await get(ctx, id)).signingSecret,
  }),
});
