import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { countWebhooks, listWebhooks as list } from "#server/core/webhooks/endpoints/webhooks.ts";
import { getWebhookHealth } from "#server/core/webhooks/endpoints/webhook-health.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { WebhookRow, webhookRow } from "./webhook-row.ts";

export const listWebhooks = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks",
  summary: "List webhooks",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(z.object({ sort: sortQuery(["endpoint", "created"], "-created") })),
  response: countedListOf(WebhookRow),
  refusals: ["invalid"],
  async handle({ ctx, query: { sort, ...request } }) {
    const page = await list(ctx, request, sort);
    const health = await getWebhookHealth(
      ctx,
      page.rows.map(({ id }) => id),
    );
    return countedList(page, await countWebhooks(ctx, sort, page.rows[0]), (webhook) =>
      webhookRow(webhook, health.get(webhook.id)),
    );
  },
});
