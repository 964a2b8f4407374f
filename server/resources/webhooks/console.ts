import { z } from "zod";

import { countedList, PageQuery, sortQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import { findLastFailure } from "#server/core/webhooks/attempts/attempts.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookHealth,
  listWebhooks,
  rotateSecret,
  type ShownWebhook,
  updateWebhook,
  type WebhookHealth,
} from "#server/core/webhooks/endpoints/webhooks.ts";
import { countWaiting, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";
import { sendTestEvent } from "#server/core/webhooks/events/send-test-event.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

import { WebhookPath } from "./objects.ts";

export const EventType = z.enum(WEBHOOK_EVENT_TYPES);

const WebhookStatus = z.enum(["enabled", "disabled"]);

const NOTHING: WebhookHealth = { delivered: 0, failed: 0, waiting: 0 };

const webhookRow = (webhook: ShownWebhook, health: WebhookHealth = NOTHING) => ({
  id: webhook.id,
  endpoint: webhook.endpoint,
  // Only known types are stored.
  events: EventType.array().parse(webhook.events),
  status: webhook.status,
  isTest: webhook.isTest,
  disabledForFailures: webhook.disabledForFailuresAt !== null,
  failures: webhook.failures,
  failingSince: webhook.failingSince && consoleTimestamp(webhook.failingSince),
  createdAt: consoleTimestamp(webhook.createdAt),
  health,
});

const ENDPOINT_MAX = 2_000;

const EVENTS_MAX = 20;

/** Checks only the shape; core validates URLs and event types. */
const WebhookFields = z.object({
  endpoint: z
    .string()
    .min(1, "must be an https URL")
    .max(ENDPOINT_MAX, `must have at most ${ENDPOINT_MAX} characters`),
  events: z
    .array(z.string())
    .min(1, "must contain at least one event type")
    .max(EVENTS_MAX, `must contain at most ${EVENTS_MAX} event types`),
});

export const webhooksConsole = pageEndpoints("console", "webhooks", {
  list: read({
    privilege: "api_controls",
    query: PageQuery.and(z.object({ sort: sortQuery(["endpoint", "created"], "-created") })),
    async handle({ ctx, query: { sort, ...request } }) {
      const page = await listWebhooks(ctx, request, sort);
      const health = await getWebhookHealth(
        ctx,
        page.rows.map(({ id }) => id),
      );
      return countedList(page, (webhook) => webhookRow(webhook, health.get(webhook.id)));
    },
  }),

  create: change({
    privilege: "api_controls",
    body: WebhookFields,
    async handle({ ctx, body }) {
      const { id, signingSecret } = await createWebhook(ctx, body);
      return { id, signingSecret };
    },
  }),

  get: read({
    privilege: "api_controls",
    params: WebhookPath,
    async handle({ ctx, params: { id } }) {
      const webhook = await getWebhook(ctx, id);
      const [health, waiting, failure] = await Promise.all([
        getWebhookHealth(ctx, [webhook.id]),
        countWaiting(ctx, webhook.id),
        webhook.failures > 0 ? findLastFailure(ctx.db, webhook.id) : null,
      ]);
      return {
        ...webhookRow(webhook, health.get(webhook.id)),
        waiting,
        lastFailure: failure && {
          error: failure.error,
          explanation: explainFailure(failure.error),
          at: consoleTimestamp(failure.sentAt),
        },
      };
    },
  }),

  update: change({
    privilege: "api_controls",
    params: WebhookPath,
    body: WebhookFields.extend({ status: WebhookStatus }).partial(),
    async handle({ ctx, params: { id }, body }) {
      await updateWebhook(ctx, id, body);
      return { id };
    },
  }),

  delete: change({
    privilege: "api_controls",
    params: WebhookPath,
    async handle({ ctx, params: { id } }) {
      await deleteWebhook(ctx, id);
      return { id };
    },
  }),

  getSigningSecret: read({
    privilege: "api_controls",
    params: WebhookPath,
    handle: async ({ ctx, params: { id } }) => ({
      signingSecret: (await getWebhook(ctx, id)).signingSecret,
    }),
  }),

  rotateSigningSecret: change({
    privilege: "api_controls",
    params: WebhookPath,
    handle: async ({ ctx, params: { id } }) => ({
      signingSecret: (await rotateSecret(ctx, id)).signingSecret,
    }),
  }),

  sendTestEvent: change({
    privilege: "api_controls",
    params: WebhookPath,
    handle: async ({ ctx, params: { id } }) => ({
      eventId: toEventId(await sendTestEvent(ctx, id)),
    }),
  }),
});
