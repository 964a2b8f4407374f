import type { Example } from "#server/http/code-samples.ts";

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
