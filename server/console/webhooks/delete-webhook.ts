import { z } from "zod";

import { deleteWebhook as remove } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, WebhookPath } from "./webhook-row.ts";

export const deleteWebhook = defineEndpoint({
  method: "DELETE",
  path: "/console/api/webhooks/{id}",
  summary: "Delete a webhook and its events",
  permission: "console",
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    await remove(ctx, id);
    return { id };
  },
});
