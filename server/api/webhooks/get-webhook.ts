import { getWebhook as get } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, webhookObject, WebhookObject, WebhookPath } from "./webhook-object.ts";

export const getWebhook = defineEndpoint({
  method: "GET",
  path: "/webhooks/{id}",
  summary: "Retrieve a webhook",
  description: "Includes the signing secret.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: WebhookObject,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => webhookObject(await get(ctx, params.id)),
});
