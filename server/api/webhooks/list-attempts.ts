import { listAttempts as list } from "#server/core/webhooks/attempts/attempts.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import {
  WebhookAttemptObject,
  webhookAttemptObject,
  WebhookEventPath,
} from "./webhook-event-object.ts";
import { NOT_FOUND } from "./webhook-object.ts";

export const listAttempts = defineEndpoint({
  method: "GET",
  path: "/webhooks/{id}/events/{event_id}/attempts",
  summary: "List an event's delivery attempts",
  description: "Newest first. The last 50 attempts are kept.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: WebhookEventPath,
  notFound: NOT_FOUND,
  query: PageQuery,
  response: listOf(WebhookAttemptObject),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) =>
    listObject(await list(ctx, params.id, params.event_id, query), webhookAttemptObject),
});
