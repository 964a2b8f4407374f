import { listWebhooks as list } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { webhookListItem, WebhookListItem } from "./webhook-object.ts";

export const listWebhooks = defineEndpoint({
  method: "GET",
  path: "/webhooks",
  summary: "List webhooks",
  description: "Newest first. Includes the signing secrets.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(WebhookListItem),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => listObject(await list(ctx, query), webhookListItem),
});
