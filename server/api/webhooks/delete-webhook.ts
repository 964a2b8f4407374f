import { z } from "zod";

import { deleteWebhook as remove } from "#server/core/webhooks/endpoints/webhooks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { id, NOT_FOUND, object, webhookChanged, WebhookPath } from "./webhook-object.ts";

export const deleteWebhook = defineEndpoint({
  method: "DELETE",
  path: "/webhooks/{id}",
  summary: "Delete a webhook",
  description:
    "Deletes the webhook with its events and attempts. Pending events are not delivered.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: WebhookPath,
  notFound: NOT_FOUND,
  response: z
    .object({ object, id, deleted: z.literal(true).describe("Always `true`") })
    .meta({ id: "WebhookDeleted" }),
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    await remove(ctx, id);
    return { ...webhookChanged(id), deleted: true as const };
  },
});
