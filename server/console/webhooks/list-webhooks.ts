import { countedList, countedListOf } from "#server/console/counted-list.ts";
import {
  countWebhooks,
  listWebhooks as list,
} from "#server/core/webhooks/endpoints/list-webhooks.ts";
import { getWebhookHealth } from "#server/core/webhooks/endpoints/webhook-health.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { WebhookRow, webhookRow } from "./webhook-row.ts";

export const listWebhooks = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks",
  summary: "List webhooks, newest first",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery,
  response: countedListOf(WebhookRow),
  refusals: ["invalid"],
  async handle({ ctx, query }) {
    const page = await list(ctx, query);
    const health = await getWebhookHealth(
      ctx,
      page.rows.map(({ id }) => id),
    );
    return countedList(page, await countWebhooks(ctx, page.rows[0]), (webhook) =>
      webhookRow(webhook, health.get(webhook.id)),
    );
  },
});
