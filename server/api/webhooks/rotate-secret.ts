import { rotateSecret as rotate } from "#server/core/webhooks/endpoints/rotate-secret.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, webhookChanged, WebhookPath, WebhookSecret } from "./webhook-object.ts";

export const rotateSecret = defineEndpoint({
  method: "POST",
  path: "/webhooks/{id}/signing-secret/rotate",
  summary: "Give a webhook a new signing secret",
  description: "Every attempt from now on is signed with the new one only, retries too.",
  permission: "full_access",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: WebhookSecret,
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    const { signingSecret } = await rotate(ctx, id);
    return { ...webhookChanged(id), signing_secret: signingSecret };
  },
});
