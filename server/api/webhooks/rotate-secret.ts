import { rotateSecret as rotate } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, webhookChanged, WebhookPath, WebhookSecret } from "./webhook-object.ts";

export const rotateSecret = defineEndpoint({
  method: "POST",
  path: "/webhooks/{id}/signing-secret/rotate",
  summary: "Rotate a signing secret",
  description:
    "Replaces the signing secret. From now on, all attempts, including retries, are signed with the new secret only.",
  permission: "full_access",
  admitsTestKeys: true,
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
