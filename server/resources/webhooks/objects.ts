import { z } from "zod";

import type { WebhookAttempt, WebhookEvent } from "#drizzle/schema/index.ts";
import { apiTimestamp, isoTimestamp } from "#server/http/timestamps.ts";
import { EVENTS_MAX, type ShownWebhook } from "#server/core/webhooks/endpoints/webhooks.ts";
import { type ListedWebhookEvent, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { EVENT_TYPES, WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";
import { boundedList } from "#server/http/text-fields.ts";
import type { Example } from "#server/http/code-samples.ts";
import { pathOf } from "#server/http/endpoint.ts";

// Core validates both fields.

export const WebhookUrl = z.string().meta({
  format: "uri",
  description:
    "`https://` URL of up to 2,000 characters on a public host and port 443 or 8443, without user name and password",
});

export const Events = boundedList(z.string(), EVENTS_MAX).meta({
  description: "1 to 20 event types; duplicates are ignored",
  minItems: 1,
  items: { type: "string", enum: [...WEBHOOK_EVENT_TYPES] },
});

const object = z.literal("webhook").describe("Object type");

const id = z.uuid().describe("The webhook's ID; also the pagination cursor");

const signingSecret = z
  .string()
  .describe("Secret that signs the webhook's requests: `whsec_` followed by base64");

const fields = {
  id,
  endpoint: z.string().describe("HTTPS URL that receives the events"),
  events: z.array(z.enum(WEBHOOK_EVENT_TYPES)).describe("Subscribed event types"),
  status: z
    .enum(["enabled", "disabled"])
    .describe("While `disabled`, pending events are not delivered and new events are not recorded"),
};

export const WebhookListItem = z.object({
  ...fields,
  created_at: z.string().describe("When the webhook was created"),
  signing_secret: signingSecret,
});

export const WebhookObject = z
  .object({
    object,
    ...fields,
    created_at: z.string().describe("When the webhook was created, in ISO 8601"),
    signing_secret: signingSecret,
  })
  .meta({ id: "Webhook" });

export const WebhookPath = pathOf("Webhook not found", {
  id: z.uuid().toLowerCase().describe("The webhook's ID"),
});

/** The response to a change of a webhook. */
export const WebhookChanged = z.object({ object, id }).meta({ id: "WebhookChanged" });

export const WebhookDeleted = z
  .object({ object, id, deleted: z.literal(true).describe("Always `true`") })
  .meta({ id: "WebhookDeleted" });

/** The response that contains a new signing secret. */
export const WebhookSecret = z
  .object({ object, id, signing_secret: signingSecret })
  .meta({ id: "WebhookSecret" });

export const webhookListItem = (webhook: ShownWebhook): z.input<typeof WebhookListItem> => ({
  ...commonFields(webhook),
  created_at: apiTimestamp(webhook.createdAt),
});

export const webhookObject = (webhook: ShownWebhook): z.input<typeof WebhookObject> => ({
  object: "webhook",
  ...commonFields(webhook),
  created_at: isoTimestamp(webhook.createdAt),
});

export const webhookChanged = (id: string) => ({ object: "webhook" as const, id });

const eventObject = z.literal("webhook_event").describe("Object type");

const eventId = z
  .string()
  .describe("The event's ID, sent as `webhook-id` with every attempt; also the pagination cursor");

const type = z.enum(WEBHOOK_EVENT_TYPES).describe("Event type");

const createdAt = z.string().describe("When the event happened");

const status = z
  .enum(["pending", "attempting", "success", "failed"])
  .describe(
    "`pending`: no attempt yet. `attempting`: failed so far and will be retried. `success`: the endpoint returned 2xx. `failed`: all attempts failed",
  );

export const WebhookEventListItem = z.object({
  id: eventId,
  type,
  created_at: createdAt,
  status,
});

export const WebhookEventObject = z
  .object({
    object: eventObject,
    id: eventId,
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
export const WebhookEventQueued = z
  .object({ object: eventObject, id: eventId })
  .meta({ id: "WebhookEventQueued" });

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
export const WebhookEventPath = pathOf("Webhook not found", {
  id: z.uuid().toLowerCase().describe("The webhook's ID"),
  event_id: z.string().describe("The event's ID: `msg_…`"),
});

// Core stores known types only.
const commonEventFields = (event: ListedWebhookEvent) => ({
  id: toEventId(event.id),
  type: event.type as z.output<typeof type>,
  created_at: apiTimestamp(event.createdAt),
  status: event.status,
});

export const webhookEventListItem = (
  event: ListedWebhookEvent,
): z.input<typeof WebhookEventListItem> => commonEventFields(event);

export const webhookEventObject = (event: WebhookEvent): z.input<typeof WebhookEventObject> => ({
  object: "webhook_event",
  ...commonEventFields(event),
  webhook_id: event.webhookId,
  attempts: event.attempts,
  next_attempt_at: event.nextAttemptAt === null ? null : apiTimestamp(event.nextAttemptAt),
  payload: event.payload as z.input<typeof WebhookEventObject>["payload"],
});

export const webhookEventQueued = (id: string) => ({
  object: "webhook_event" as const,
  id,
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

const WEBHOOK = "0198c0de-a071-7294-8fb8-c37461d08277";

const EVENT = "msg_0b4f7c1e94d34a558f0e2f6c1d9a7b30";

const TEST_EVENT = "msg_5e2a90c7d18b4f63a4c07b8e6f15d249";

const EMAIL = "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11";

const ENDPOINT = "https://shop.example.com/hooks/posthouse";

const EVENTS = ["email.delivered", "email.bounced"];

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

const webhook = {
  id: WEBHOOK,
  endpoint: ENDPOINT,
  events: EVENTS,
  status: "enabled",
  signing_secret: SECRET,
};

const event = {
  id: EVENT,
  type: "email.delivered",
  created_at: "2026-03-02 09:30:01.007654+00",
  status: "success",
};

const atWebhook = { id: WEBHOOK };

const atEvent = { id: WEBHOOK, event_id: EVENT };

const sdkEvent = { webhookId: WEBHOOK, eventId: EVENT };

const list = (...data: object[]) => ({ object: "list", has_more: false, data });

export const webhookExamples: Record<string, Example> = {
  "GET /webhooks": {
    answer: list({ ...webhook, created_at: "2026-03-01 08:00:00.104532+00" }),
    sdk: ["webhooks.list"],
  },
  "POST /webhooks": {
    body: { endpoint: ENDPOINT, events: EVENTS },
    answer: { object: "webhook", id: WEBHOOK, signing_secret: SECRET },
    sdk: ["webhooks.create", { endpoint: ENDPOINT, events: EVENTS }],
  },
  "GET /webhooks/{id}": {
    params: atWebhook,
    answer: { object: "webhook", ...webhook, created_at: "2026-03-01T08:00:00.104Z" },
    sdk: ["webhooks.get", WEBHOOK],
  },
  "PATCH /webhooks/{id}": {
    params: atWebhook,
    body: { status: "disabled" },
    answer: { object: "webhook", id: WEBHOOK },
    sdk: ["webhooks.update", WEBHOOK, { status: "disabled" }],
  },
  "DELETE /webhooks/{id}": {
    params: atWebhook,
    answer: { object: "webhook", id: WEBHOOK, deleted: true },
    sdk: ["webhooks.remove", WEBHOOK],
  },
  "POST /webhooks/{id}/signing-secret/rotate": {
    params: atWebhook,
    answer: { object: "webhook", id: WEBHOOK, signing_secret: SECRET },
    sdk: ["webhooks.rotateSigningSecret", WEBHOOK],
  },
  "POST /webhooks/{id}/test": {
    params: atWebhook,
    answer: { object: "webhook_event", id: TEST_EVENT },
    sdk: ["post", `/webhooks/${WEBHOOK}/test`],
  },
  "GET /webhooks/{id}/events": {
    params: atWebhook,
    query: { limit: "20" },
    answer: list(event),
    sdk: ["webhooks.events.list", { webhookId: WEBHOOK, limit: 20 }],
  },
  "GET /webhooks/{id}/events/{event_id}": {
    params: atEvent,
    answer: {
      object: "webhook_event",
      ...event,
      webhook_id: WEBHOOK,
      attempts: 1,
      next_attempt_at: null,
      payload: {
        type: "email.delivered",
        created_at: "2026-03-02T09:30:01.007Z",
        data: {
          created_at: "2026-03-02T09:30:00.412Z",
          email_id: EMAIL,
          from: "Northwind <hello@shop.example>",
          to: ["ben@example.net"],
          subject: "Your order 1042",
          tags: { kind: "receipt" },
          message_id: `<${EMAIL}@shop.example>`,
        },
      },
    },
    sdk: ["webhooks.events.get", sdkEvent],
  },
  "GET /webhooks/{id}/events/{event_id}/attempts": {
    params: atEvent,
    answer: list({
      id: `${EVENT}_1`,
      http_status_code: 200,
      response: "ok",
      error: null,
      duration_ms: 84,
      sent_at: "2026-03-02T09:30:01.031Z",
    }),
    sdk: ["webhooks.events.attempts.list", sdkEvent],
  },
  "POST /webhooks/{id}/events/{event_id}/replay": {
    params: atEvent,
    answer: { object: "webhook_event", id: EVENT },
    sdk: ["webhooks.events.replay", sdkEvent],
  },
};

/** The API reference's introduction to webhooks. Paragraphs are separated by empty lines. */
export const WEBHOOK_GUIDE = [
  "Webhooks notify your application of events: Posthouse sends a signed HTTPS request to your endpoint when something happens to your emails or domains.",
  "Every event is an HTTPS POST with a JSON body: `type`, `created_at` (when the event happened, in ISO 8601) and `data`. An event is recorded for each webhook that is enabled and subscribed to its type at that moment.",
  WEBHOOK_EVENT_TYPES.map((type) => `- \`${type}\`: ${EVENT_TYPES[type].webhook.description}`).join(
    "\n",
  ),
  "`data` of every `email.…` event but `email.received`: `created_at` (when the email was accepted), `email_id`, `from`, `to`, `subject`, `tags` (an object of names and values) and, once the mail server accepted the email, `message_id`. For `email.delivered`, `email.delivery_delayed`, `email.bounced`, `email.suppressed`, `email.unsubscribed` and `email.complained`, `to` contains only the recipient concerned; it is empty if a complaint doesn't identify the recipient. Some types add an object:",
  [
    "- `email.bounced` and `email.delivery_delayed`: `bounce` with `type` (`Permanent` or `Temporary`), `subType` (`General`) and `message`, the receiving server's reply (can be empty)",
    "- `email.opened`: `open` with `ipAddress`, `timestamp` and `userAgent`",
    "- `email.clicked`: `click` with `ipAddress`, `link`, `timestamp` and `userAgent`",
    "- `email.failed`: `failed` with `reason`",
    "- `email.suppressed`: `suppressed` with `message` and `type` (`bounce`, `complaint` or `manual`)",
    "- `email.replied`: `reply` with `from`, `to` (your addresses that received it), `subject`, `message_id` and, if an inbound address received it, `received_email_id`",
  ].join("\n"),
  "`data` of `email.received`: `email_id`, `created_at` (when it was received), `from`, `to`, `cc`, `bcc`, `received_for` (your addresses), `message_id`, `subject`, `attachments` (each with `id`, `filename`, `content_type`, `content_disposition` and `content_id`), `authentication` (`spf`, `dkim`, `dmarc`), `spam` (`is_spam`, `score`) and `replied_email_id`. It has no bodies and at most 256 KB, if necessary without attachments and with 20 addresses of each field: `GET /emails/receiving/{id}` has the text, the HTML, the headers and links to the files.",
  "`data` of every `domain.…` event: `id`, `name`, `status` and `created_at`.",
  "Headers: `webhook-id` (the event's ID, the same for every attempt: use it to ignore duplicates), `webhook-timestamp` (when the attempt was signed, in Unix seconds) and `webhook-signature`; the same values as `svix-id`, `svix-timestamp` and `svix-signature`; `content-type: application/json` and `user-agent: Posthouse-Webhooks/1.0`.",
  "To verify a signature, compute the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` using the raw body. The key is the base64-decoded part of the signing secret after `whsec_`. `webhook-signature` contains one or more signatures separated by spaces. Accept the event if one of them equals `v1,` followed by your result in base64 (compare in constant time) and the timestamp is within 300 seconds of your clock. The Standard Webhooks and Svix libraries do all of this.",
  "Respond with a 2xx status within 10 seconds. Any other response, including a redirect, is a failed attempt and is retried after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours and another 10 hours. After 8 failed attempts the event is `failed`. Events can arrive more than once and out of order; use `created_at` in the body to order them. A webhook is disabled after 100 consecutive failed attempts across all its events.",
].join("\n\n");

const commonFields = ({ id, endpoint, events, status, signingSecret }: ShownWebhook) => ({
  id,
  endpoint,
  status,
  signing_secret: signingSecret,
  // Core validated the types before storing them.
  events: events as z.input<typeof WebhookObject>["events"],
});
