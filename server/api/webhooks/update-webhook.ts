import { z } from "zod";

import { updateWebhook as update } from "#server/core/webhooks/endpoints/update-webhook.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Endpoint, Events } from "./webhook-fields.ts";
import { NOT_FOUND, WebhookChanged, webhookChanged, WebhookPath } from "./webhook-object.ts";

const WebhookChanges = z
  .object({
    endpoint: Endpoint.nullish().describe("By the same rules as for a new webhook"),
    events: Events.nullish().describe(
      "Replaces the list. 1 to 20 event types; duplicates are ignored",
    ),
    status: z
      .enum(["enabled", "disabled"], { error: "must be enabled or disabled" })
      .nullish()
      .describe(
        "`disabled` holds waiting events and records no new ones; `enabled` delivers held ones at once and forgets failures",
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
  summary: "Change, disable or enable a webhook",
  description: "Fields that are left out keep their values.",
  permission: "full_access",
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
