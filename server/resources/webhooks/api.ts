import { z } from "zod";

import { listAttempts } from "#server/core/webhooks/attempts/attempts.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from "#server/core/webhooks/endpoints/webhooks.ts";
import {
  getWebhookEvent,
  listWebhookEvents,
  replayEvent,
  toEventId,
} from "#server/core/webhooks/events/webhook-events.ts";
import { sendTestEvent } from "#server/core/webhooks/events/send-test-event.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";

import {
  WebhookUrl,
  Events,
  WebhookAttemptObject,
  WebhookChanged,
  WebhookDeleted,
  WebhookEventListItem,
  WebhookEventObject,
  WebhookEventPath,
  WebhookEventQueued,
  WebhookListItem,
  WebhookObject,
  WebhookPath,
  WebhookSecret,
  webhookAttemptObject,
  webhookChanged,
  webhookEventListItem,
  webhookEventObject,
  webhookEventQueued,
  webhookListItem,
  webhookObject,
} from "./objects.ts";

const WebhookChanges = z
  .object({
    endpoint: WebhookUrl.nullish().describe("New URL. The same rules apply as for a new webhook"),
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

export const webhooksApi = {
  list: defineEndpoint("GET", "/webhooks", {
    summary: "List webhooks",
    description: "Newest first. Includes the signing secrets.",
    admitsTestKeys: true,
    privilege: "api_controls",
    query: PageQuery,
    response: listResponse(WebhookListItem),
    handle: async ({ ctx, query }) => listObject(await listWebhooks(ctx, query), webhookListItem),
  }),

  create: defineEndpoint("POST", "/webhooks", {
    summary: "Create a webhook",
    description:
      "The webhook is enabled and receives events from now on. A company can have up to 10 webhooks. Store the signing secret to verify signatures.",
    admitsTestKeys: true,
    privilege: "api_controls",
    body: z.object({
      endpoint: blankIsMissing(WebhookUrl).meta(WebhookUrl.meta()!),
      events: Events,
    }),
    response: WebhookSecret,
    refusals: ["not_allowed", "missing_required_field"],
    async handle({ ctx, body }) {
      const { id, signingSecret } = await createWebhook(ctx, body);
      return { ...webhookChanged(id), signing_secret: signingSecret };
    },
  }),

  get: defineEndpoint("GET", "/webhooks/{id}", {
    summary: "Retrieve a webhook",
    description: "Includes the signing secret.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookPath,
    response: WebhookObject,
    handle: async ({ ctx, params }) => webhookObject(await getWebhook(ctx, params.id)),
  }),

  update: defineEndpoint("PATCH", "/webhooks/{id}", {
    summary: "Update a webhook",
    description: "Absent fields keep their values.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookPath,
    body: WebhookChanges,
    response: WebhookChanged,
    async handle({ ctx, params: { id }, body }) {
      await updateWebhook(ctx, id, body);
      return webhookChanged(id);
    },
  }),

  delete: defineEndpoint("DELETE", "/webhooks/{id}", {
    summary: "Delete a webhook",
    description:
      "Deletes the webhook with its events and attempts. Pending events are not delivered.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookPath,
    response: WebhookDeleted,
    async handle({ ctx, params: { id } }) {
      await deleteWebhook(ctx, id);
      return { ...webhookChanged(id), deleted: true as const };
    },
  }),

  rotateSecret: defineEndpoint("POST", "/webhooks/{id}/signing-secret/rotate", {
    summary: "Rotate a signing secret",
    description:
      "Replaces the signing secret. From now on, all attempts, including retries, are signed with the new secret only.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookPath,
    response: WebhookSecret,
    async handle({ ctx, params: { id } }) {
      const { signingSecret } = await rotateSecret(ctx, id);
      return { ...webhookChanged(id), signing_secret: signingSecret };
    },
  }),

  sendTestEvent: defineEndpoint("POST", "/webhooks/{id}/test", {
    summary: "Send a test event",
    description:
      "Queues a sample `email.sent` event, even if the webhook is not subscribed to that type. It is signed and retried like any other event. A webhook can have up to five pending test events.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookPath,
    response: WebhookEventQueued,
    refusals: ["invalid", "rate_limit_exceeded"],
    handle: async ({ ctx, params }) =>
      webhookEventQueued(toEventId(await sendTestEvent(ctx, params.id))),
  }),

  listEvents: defineEndpoint("GET", "/webhooks/{id}/events", {
    summary: "List a webhook's events",
    description: "Events of the last 30 days and their delivery status, newest first.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookPath,
    query: PageQuery,
    response: listResponse(WebhookEventListItem),
    handle: async ({ ctx, params, query }) =>
      listObject(await listWebhookEvents(ctx, params.id, query), webhookEventListItem),
  }),

  getEvent: defineEndpoint("GET", "/webhooks/{id}/events/{event_id}", {
    summary: "Retrieve an event",
    description: "Includes the payload.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookEventPath,
    response: WebhookEventObject,
    handle: async ({ ctx, params }) =>
      webhookEventObject(await getWebhookEvent(ctx, params.id, params.event_id)),
  }),

  listAttempts: defineEndpoint("GET", "/webhooks/{id}/events/{event_id}/attempts", {
    summary: "List an event's delivery attempts",
    description: "Newest first. The last 50 attempts are kept.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookEventPath,
    query: PageQuery,
    response: listResponse(WebhookAttemptObject),
    handle: async ({ ctx, params, query }) =>
      listObject(await listAttempts(ctx, params.id, params.event_id, query), webhookAttemptObject),
  }),

  replayEvent: defineEndpoint("POST", "/webhooks/{id}/events/{event_id}/replay", {
    summary: "Replay an event",
    description:
      "Delivers the event again immediately, whatever its status, with the same ID and body. If the attempt fails, the retry schedule continues where it was.",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: WebhookEventPath,
    response: WebhookEventQueued,
    refusals: ["invalid"],
    async handle({ ctx, params: { id, event_id: eventId } }) {
      await replayEvent(ctx, id, eventId);
      return webhookEventQueued(eventId);
    },
  }),
};
