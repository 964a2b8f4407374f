import { z } from "zod";

import { updateWebhook as update } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { WebhookFields } from "./webhook-fields.ts";
import { NOT_FOUND, WebhookPath, WebhookStatus } from "./webhook-row.ts";

export const updateWebhook = defineEndpoint({
  method: "PATCH",
  path: "/console/api/webhooks/{id}",
  summary: "Update a webhook. Omitted fields don't change",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  body: WebhookFields.extend({ status: WebhookStatus }).partial(),
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id }, body }) {
    await update(ctx, id, body);
    return { id };
  },
});
