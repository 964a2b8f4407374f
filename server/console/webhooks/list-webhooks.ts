import { listWebhooks as list } from "#server/core/webhooks/endpoints/list-webhooks.ts";
import { getWebhookHealth } from "#server/core/webhooks/endpoints/webhook-health.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { WebhookRow, webhookRow } from "./webhook-row.ts";

export const listWebhooks = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks",
  summary: "List webhooks, newest first",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(WebhookRow),
  refusals: ["invalid"],
  async handle({ ctx, query }) {
    const page = await list(ctx, query);
    const health = await getWebhookHealth(
      ctx,
      page.rows.map(({ id }) => id),
    );
    return listObject(page, (webhook) => webhookRow(webhook, health.get(webhook.id)));
  },
});
