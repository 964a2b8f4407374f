import { z } from "zod";

import { updateWebhook as update } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Endpoint, Events } from "./webhook-fields.ts";
import { NOT_FOUND, WebhookChanged, webhookChanged, WebhookPath } from "./webhook-object.ts";

const WebhookChanges = z
  .object({
    endpoint: Endpoint.nullish().describe("New URL. The same rules apply as for a new webhook"),
    events: Events.nullish().describe(
      "Event types that replace the current ones: 1 to 20; duplicates are ignored",
    ),
    status: z
      .enum(["enabled", "disabled"], { error: "must be enabled or disabled" })
      .nullish()
      .describe(
        "`disabled` stops deliveries and records no new events. `enabled` delivers pending events immediately and resets the count of failed attempts",
      ),
  })
  .transform(({ endpoint, events, status }) => ({
    endpoint: endpoint ?? undefined,
    events: events ?? undefined,
    status: status ?? undefined,
  }));

export const updateWebhook = defineEndpoint({
  method: "PATCH",
  path: "/webhooks/{id}",
  summary: "Update a webhook",
  description: "Absent fields keep their values.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  body: WebhookChanges,
  response: WebhookChanged,
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id }, body }) {
    await update(ctx, id, body);
    return webhookChanged(id);
  },
});
