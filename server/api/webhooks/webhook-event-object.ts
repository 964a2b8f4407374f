import { z } from "zod";

import type { WebhookAttempt, WebhookEvent } from "#drizzle/schema/index.ts";
import { apiTimestamp, isoTimestamp } from "#server/api/timestamp.ts";
import { toEventId } from "#server/core/webhooks/events/event-id.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/core/webhooks/events/event-types.ts";
import type { ListedWebhookEvent } from "#server/core/webhooks/events/list-webhook-events.ts";

const object = z.literal("webhook_event").describe("What kind of object this is");
const id = z
  .string()
  .describe("Id of the event, the header `webhook-id` of each of its attempts; serves as cursor");
const type = z.enum(WEBHOOK_EVENT_TYPES).describe("What happened");
const createdAt = z.string().describe("When it happened");
const status = z
  .enum(["pending", "attempting", "success", "failed"])
  .describe(
    "`pending` before the first attempt, `attempting` while further ones are planned, `success` after a 2xx answer, `failed` when all attempts are used up",
  );

export const WebhookEventListItem = z.object({ id, type, created_at: createdAt, status });

export const WebhookEventObject = z
  .object({
    object,
    id,
    webhook_id: z.uuid().describe("Id of the webhook it is for"),
    type,
    created_at: createdAt,
    status,
    attempts: z.int().describe("Attempts made, replays among them"),
    next_attempt_at: z
      .string()
      .nullable()
      .describe(
        "When it is tried next; null when it was delivered, has no attempts left, or its webhook is disabled",
      ),
    payload: z
      .object({
        type,
        created_at: z.string().describe("When it happened, in ISO 8601"),
        data: z.record(z.string(), z.unknown()).describe("What the type has to tell"),
      })
      .describe("The JSON body that is posted"),
  })
  .meta({ id: "WebhookEvent" });

/** Answer of a call that has an event sent. */
export const WebhookEventQueued = z.object({ object, id }).meta({ id: "WebhookEventQueued" });

export const WebhookAttemptObject = z.object({
  id: z.string().describe("Id of the event, `_` and the number of the attempt; serves as cursor"),
  http_status_code: z.int().nullable().describe("Of the answer; null when none came"),
  response: z
    .string()
    .describe(
      "First 500 characters of the answer, without what the endpoint's own URL has in its path and query",
    ),
  error: z
    .string()
    .nullable()
    .describe("null on success; else `HTTP <status>`, or why no answer came, such as `timeout`"),
  duration_ms: z.int().describe("How long it took, in milliseconds"),
  sent_at: z.string().describe("When it was sent, in ISO 8601"),
});

/** The path of an event. What is no id of one names none. */
export const WebhookEventPath = z.object({
  id: z.uuid().toLowerCase().describe("Id of the webhook"),
  event_id: z.string().describe("Id of the event: `msg_…`"),
});

// The table holds types that core knows.
const shown = (event: ListedWebhookEvent) => ({
  id: toEventId(event.id),
  type: event.type as z.output<typeof type>,
  created_at: apiTimestamp(event.createdAt),
  status: event.status,
});

export const webhookEventListItem = (
  event: ListedWebhookEvent,
): z.input<typeof WebhookEventListItem> => shown(event);

export const webhookEventObject = (event: WebhookEvent): z.input<typeof WebhookEventObject> => ({
  object: "webhook_event",
  ...shown(event),
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
