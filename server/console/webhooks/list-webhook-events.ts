import { z } from "zod";

import { listWebhookEvents as list } from "#server/core/webhooks/events/webhook-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { EventStatus, ListedEventRow, listedEventRow } from "./event-row.ts";
import { EventType, NOT_FOUND, WebhookPath } from "./webhook-row.ts";

export const listWebhookEvents = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks/{id}/events",
  summary: "List a webhook's events, newest first",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  query: PageQuery.and(
    z.object({
      status: EventStatus.optional().describe("Filter by status"),
      type: EventType.optional().describe("Filter by type"),
    }),
  ),
  response: listOf(ListedEventRow),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query: { status = null, type = null, ...page } }) =>
    listObject(await list(ctx, params.id, page, { status, type }), listedEventRow),
});
