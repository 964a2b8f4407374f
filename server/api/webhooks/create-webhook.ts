import { z } from "zod";

import { createWebhook as create } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";

import { Endpoint, Events } from "./webhook-fields.ts";
import { webhookChanged, WebhookSecret } from "./webhook-object.ts";

export const createWebhook = defineEndpoint({
  method: "POST",
  path: "/webhooks",
  summary: "Create a webhook",
  description:
    "The webhook is enabled and receives events from now on. A company can have up to 10 webhooks. Store the signing secret to verify signatures.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  body: z.object({
    endpoint: blankIsMissing(Endpoint).meta(Endpoint.meta()!),
    events: Events,
  }),
  response: WebhookSecret,
  refusals: ["not_allowed", "missing_required_field", "invalid"],
  async handle({ ctx, body }) {
    const { id, signingSecret } = await create(ctx, body);
    return { ...webhookChanged(id), signing_secret: signingSecret };
  },
});
