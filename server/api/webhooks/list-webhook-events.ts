import { listWebhookEvents as list } from "#server/core/webhooks/events/webhook-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { webhookEventListItem, WebhookEventListItem } from "./webhook-event-object.ts";
import { NOT_FOUND, WebhookPath } from "./webhook-object.ts";

export const listWebhookEvents = defineEndpoint({
  method: "GET",
  path: "/webhooks/{id}/events",
  summary: "List a webhook's events",
  description: "Events of the last 30 days and their delivery status, newest first.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  query: PageQuery,
  response: listOf(WebhookEventListItem),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) =>
    listObject(await list(ctx, params.id, query), webhookEventListItem),
});
