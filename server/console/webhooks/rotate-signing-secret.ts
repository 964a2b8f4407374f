import { z } from "zod";

import { rotateSecret } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, WebhookPath } from "./webhook-row.ts";

export const rotateSigningSecret = defineEndpoint({
  method: "POST",
  path: "/console/api/webhooks/{id}/signing-secret/rotate",
  summary: "Rotate a webhook's signing secret. The old secret stops working immediately",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: z.object({ signing_secret: z.string() }),
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) => ({
    signing_secret: (await rotateSecret(ctx, id)).signingSecret,
  }),
});
