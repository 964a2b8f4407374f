import {
  countFailed,
  getWebhookEvent,
  type ListedWebhookEvent,
  listWebhookEvents,
  replayEvent,
  replayFailed,
  toEventId,
} from "#server/core/webhooks/events/webhook-events.ts";
import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import { listAttempts } from "#server/core/webhooks/attempts/attempts.ts";
import { getWebhook } from "#server/core/webhooks/endpoints/webhooks.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import { pageList, PageQuery } from "#server/http/lists.ts";

import { EventType } from "./console.ts";
import { WebhookPath } from "./objects.ts";

const EventPath = pathOf("Webhook not found", { ...WebhookPath.shape, eventId: z.string() });

const EventStatus = z.enum(["pending", "attempting", "success", "failed"]);

const listedEventRow = (event: ListedWebhookEvent & { about: string | null }) => ({
  ...eventRow(event),
  about: event.about,
});

export const webhookEventsConsole = pageEndpoints("console", "webhookEvents", {
  listEvents: read({
    privilege: "api_controls",
    params: WebhookPath,
    query: PageQuery.and(
      z.object({
        status: EventStatus.optional(),
        type: EventType.optional(),
      }),
    ),
    handle: async ({ ctx, params, query: { status = null, type = null, ...page } }) =>
      pageList(await listWebhookEvents(ctx, params.id, page, { status, type }), listedEventRow),
  }),

  countFailed: read({
    privilege: "api_controls",
    params: WebhookPath,
    handle: async ({ ctx, params: { id } }) => ({ failed: await countFailed(ctx, id) }),
  }),

  replayFailed: change({
    privilege: "api_controls",
    params: WebhookPath,
    handle: async ({ ctx, params: { id } }) => ({ replayed: await replayFailed(ctx, id) }),
  }),

  getEvent: read({
    privilege: "api_controls",
    params: EventPath,
    async handle({ ctx, params }) {
      const event = await getWebhookEvent(ctx, params.id, params.eventId);
      const { endpoint, status } = await getWebhook(ctx, params.id);
      return {
        ...eventRow(event),
        nextAttemptAt: event.nextAttemptAt && consoleTimestamp(event.nextAttemptAt),
        isReplay: event.isReplay,
        payload: event.payload,
        webhook: { endpoint, status },
      };
    },
  }),

  listAttempts: read({
    privilege: "api_controls",
    params: EventPath,
    query: PageQuery,
    handle: async ({ ctx, params, query }) =>
      pageList(await listAttempts(ctx, params.id, params.eventId, query), (attempt) => ({
        id: attempt.id,
        number: attempt.number,
        httpStatus: attempt.httpStatusCode,
        response: attempt.response,
        error: attempt.error,
        explanation: attempt.error === null ? null : explainFailure(attempt.error),
        durationMs: attempt.durationMs,
        sentAt: consoleTimestamp(attempt.sentAt),
      })),
  }),

  replayEvent: change({
    privilege: "api_controls",
    params: EventPath,
    async handle({ ctx, params }) {
      await replayEvent(ctx, params.id, params.eventId);
      return { id: params.eventId };
    },
  }),
});

const eventRow = (event: ListedWebhookEvent) => ({
  id: toEventId(event.id),
  type: EventType.parse(event.type),
  status: event.status,
  attempts: event.attempts,
  isTest: event.isTest,
  createdAt: consoleTimestamp(event.createdAt),
});
