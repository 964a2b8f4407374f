import { z } from "zod";

import { createWebhook as create } from "#server/core/webhooks/endpoints/create-webhook.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Endpoint, Events } from "./webhook-fields.ts";
import { webhookChanged, WebhookSecret } from "./webhook-object.ts";

/** A URL of nothing but white space is none: it counts as one that was left out. */
const orMissing = (value: unknown) =>
  typeof value === "string" && value.trim() === "" ? undefined : value;

export const createWebhook = defineEndpoint({
  method: "POST",
  path: "/webhooks",
  summary: "Create a webhook",
  description:
    "Enabled at once: it gets what happens from now on. A company can have 10 webhooks. Keep the signing secret: receivers check signatures with it.",
  permission: "full_access",
  privilege: "api_controls",
  body: z.object({
    endpoint: z.preprocess(orMissing, Endpoint).meta(Endpoint.meta()!),
    events: Events,
  }),
  response: WebhookSecret,
  refusals: ["not_allowed", "missing_required_field", "invalid"],
  async handle({ ctx, body }) {
    const { id, signingSecret } = await create(ctx, body);
    return { ...webhookChanged(id), signing_secret: signingSecret };
  },
});
