import { z } from "zod";

import { createWebhook as create } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { WebhookFields } from "./webhook-fields.ts";

export const createWebhook = defineEndpoint({
  method: "POST",
  path: "/console/api/webhooks",
  summary: "Create a webhook",
  permission: "console",
  privilege: "api_controls",
  body: WebhookFields,
  response: z.object({ id: z.uuid(), signing_secret: z.string() }),
  refusals: ["invalid", "not_allowed"],
  async handle({ ctx, body }) {
    const { id, signingSecret } = await create(ctx, body);
    return { id, signing_secret: signingSecret };
  },
});
