import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { countWaiting } from "#server/core/webhooks/events/webhook-events.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import { getWebhook as get } from "#server/core/webhooks/endpoints/webhooks.ts";
import { findLastFailure } from "#server/core/webhooks/attempts/attempts.ts";
import { getWebhookHealth } from "#server/core/webhooks/endpoints/webhook-health.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, WebhookPath, WebhookRow, webhookRow } from "./webhook-row.ts";

const WebhookDetail = WebhookRow.extend({
  waiting: z
    .number()
    .describe("Pending events, including those of a disabled webhook; up to 10,000"),
  last_failure: z
    .object({ error: z.string(), explanation: z.string(), at: z.string() })
    .nullable()
    .describe("The latest stored failure; null if the last attempt succeeded"),
});

export const getWebhook = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks/{id}",
  summary: "Get a webhook",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: WebhookDetail,
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    const webhook = await get(ctx, id);
    const [health, waiting, failure] = await Promise.all([
      getWebhookHealth(ctx, [webhook.id]),
      countWaiting(ctx, webhook.id),
      webhook.failures > 0 ? findLastFailure(ctx.db, webhook.id) : null,
    ]);
    return {
      ...webhookRow(webhook, health.get(webhook.id)),
      waiting,
      last_failure: failure && {
        error: failure.error,
        explanation: explainFailure(failure.error),
        at: consoleTimestamp(failure.sentAt),
      },
    };
  },
});
