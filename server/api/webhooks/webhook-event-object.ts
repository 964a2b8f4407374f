import { z } from "zod";

import type { WebhookAttempt, WebhookEvent } from "#drizzle/schema/index.ts";
import { apiTimestamp, isoTimestamp } from "#server/api/timestamp.ts";
import { type ListedWebhookEvent, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/core/webhooks/events/event-types.ts";

const object = z.literal("webhook_event").describe("Object type");
const id = z
  .string()
  .describe("The event's ID, sent as `webhook-id` with every attempt; also the pagination cursor");
const type = z.enum(WEBHOOK_EVENT_TYPES).describe("Event type");
const createdAt = z.string().describe("When the event happened");
const status = z
  .enum(["pending", "attempting", "success", "failed"])
  .describe(
    "`pending`: no attempt yet. `attempting`: failed so far and will be retried. `success`: the endpoint returned 2xx. `failed`: all attempts failed",
  );

export const WebhookEventListItem = z.object({ id, type, created_at: createdAt, status });

export const WebhookEventObject = z
  .object({
    object,
    id,
    webhook_id: z.uuid().describe("The webhook's ID"),
    type,
    created_at: createdAt,
    status,
    attempts: z.int().describe("Number of attempts made, including replays"),
    next_attempt_at: z
      .string()
      .nullable()
      .describe(
        "Time of the next attempt; null if the event was delivered, has no attempts left, or its webhook is disabled",
      ),
    payload: z
      .object({
        type,
        created_at: z.string().describe("When the event happened, in ISO 8601"),
        data: z.record(z.string(), z.unknown()).describe("Event data, depending on the type"),
      })
      .describe("The JSON body of the webhook request"),
  })
  .meta({ id: "WebhookEvent" });

/** The response to a replay or test: the event is queued. */
export const WebhookEventQueued = z.object({ object, id }).meta({ id: "WebhookEventQueued" });

export const WebhookAttemptObject = z.object({
  id: z.string().describe("The event's ID, `_` and the attempt number; also the pagination cursor"),
  http_status_code: z
    .int()
    .nullable()
    .describe("HTTP status of the response; null if there was none"),
  response: z
    .string()
    .describe(
      "First 500 characters of the response, with parts of the endpoint's own path and query removed",
    ),
  error: z
    .string()
    .nullable()
    .describe("Null on success; otherwise `HTTP <status>` or a connection error such as `timeout`"),
  duration_ms: z.int().describe("Duration in milliseconds"),
  sent_at: z.string().describe("When the attempt was sent, in ISO 8601"),
});

/** A malformed `event_id` matches no event and is a 404. */
export const WebhookEventPath = z.object({
  id: z.uuid().toLowerCase().describe("The webhook's ID"),
  event_id: z.string().describe("The event's ID: `msg_…`"),
});

// Core stores known types only.
const commonFields = (event: ListedWebhookEvent) => ({
  id: toEventId(event.id),
  type: event.type as z.output<typeof type>,
  created_at: apiTimestamp(event.createdAt),
  status: event.status,
});

export const webhookEventListItem = (
  event: ListedWebhookEvent,
): z.input<typeof WebhookEventListItem> => commonFields(event);

export const webhookEventObject = (event: WebhookEvent): z.input<typeof WebhookEventObject> => ({
  object: "webhook_event",
  ...commonFields(event),
  webhook_id: event.webhookId,
  attempts: event.attempts,
  next_attempt_at: event.nextAttemptAt === null ? null : apiTimestamp(event.nextAttemptAt),
  payload: event.payload as z.input<typeof WebhookEventObject>["payload"],
});

export const webhookEventQueued = (eventId: string) => ({
  object: "webhook_event" as const,
  id: eventId,
});

export const webhookAttemptObject = (
  attempt: WebhookAttempt & { id: string },
): z.input<typeof WebhookAttemptObject> => ({
  id: attempt.id,
  http_status_code: attempt.httpStatusCode,
  response: attempt.response,
  error: attempt.error,
  duration_ms: attempt.durationMs,
  sent_at: isoTimestamp(attempt.sentAt),
});
