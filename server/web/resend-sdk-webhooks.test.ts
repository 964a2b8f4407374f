import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { eq } from "drizzle-orm";
import { Resend } from "resend";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { webhookAttempts, webhookEvents } from "#drizzle/schema/index.ts";
import { parseEventId, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { db } from "#server/db/pool.ts";
import { withoutRates } from "#server/testing/api-sender.ts";
import { aCompany, anApiKey, aWebhook } from "#server/testing/factories.ts";
import { send } from "#server/testing/http-client.ts";
import { PLAIN_HTTP } from "#server/testing/plain-http.ts";

import { answerApi } from "./answer-api.ts";
import { createWebServer } from "./create-web-server.ts";

// How existing programs use webhooks: the Node SDK against the web server's front and the API behind it, and
// raw requests as other Resend SDKs send them.

const ENDPOINT = "https://shop.example.com/hook";

let server: Server;
let port: number;
let key: string;
let companyId: string;
let posthouse: Resend;

beforeAll(async () => {
  await withoutRates();
  const pages = () => Promise.reject(new Error("no page is asked for"));
  server = createWebServer(PLAIN_HTTP, { api: answerApi, pages });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
});

beforeEach(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId)).token;
  posthouse = new Resend(key, { baseUrl: `http://127.0.0.1:${port}` });
});

/** Returns the data of an SDK response; throws on an error. */
function dataOf<T>({ data, error }: { data: T | null; error: unknown }): T {
  expect(error).toBeNull();
  return data!;
}

/** Sends a raw request as other clients do, with exactly this body. */
const raw = (method: string, path: string, body = "") =>
  send(port, method, path, {
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": `${Buffer.byteLength(body)}`,
    },
    body,
  });

describe("webhooks of the Node SDK", () => {
  test("create, get, list, update and remove", async () => {
    const made = dataOf(
      await posthouse.webhooks.create({
        endpoint: ENDPOINT,
        events: ["email.sent", "email.bounced"],
      }),
    );
    const { id, signing_secret } = made;
    expect(made).toEqual({ object: "webhook", id, signing_secret });

    expect(dataOf(await posthouse.webhooks.get(id))).toMatchObject({
      object: "webhook",
      id,
      signing_secret,
      endpoint: ENDPOINT,
      status: "enabled",
      events: ["email.sent", "email.bounced"],
    });
    expect(dataOf(await posthouse.webhooks.list())).toMatchObject({
      object: "list",
      has_more: false,
      data: [{ id, endpoint: ENDPOINT, status: "enabled" }],
    });
    const changes = { events: ["domain.created" as const], status: "disabled" as const };
    expect(dataOf(await posthouse.webhooks.update(id, changes))).toEqual({ object: "webhook", id });
    expect(dataOf(await posthouse.webhooks.get(id))).toMatchObject({
      endpoint: ENDPOINT,
      ...changes,
    });
    expect(dataOf(await posthouse.webhooks.remove(id))).toMatchObject({ id, deleted: true });
    expect((await posthouse.webhooks.get(id)).error).toMatchObject({
      statusCode: 404,
      name: "not_found",
      message: "Webhook not found",
    });
  });

  test("rotateSigningSecret returns a secret that verify accepts", async () => {
    const { id, signingSecret: old } = await aWebhook(companyId);
    const { signing_secret } = dataOf(await posthouse.webhooks.rotateSigningSecret(id));

    const payload = JSON.stringify({ type: "email.sent", data: { subject: "Grüße" } });
    const now = new Date();
    const headers = {
      id: "msg_1",
      timestamp: String(Math.floor(now.getTime() / 1000)),
      signature: new Webhook(signing_secret).sign("msg_1", now, payload),
    };
    const verify = (webhookSecret: string) =>
      posthouse.webhooks.verify({ payload, headers, webhookSecret });
    expect(verify(signing_secret)).toEqual(JSON.parse(payload));
    expect(() => verify(old)).toThrow();
  });

  test("returns errors unchanged", async () => {
    const { error } = await posthouse.webhooks.create({
      endpoint: "https://10.0.0.1/",
      events: [],
    });
    expect(error).toMatchObject({ statusCode: 422, name: "validation_error" });
    for (let i = 0; i < 10; i++) await aWebhook(companyId);
    const eleventh = await posthouse.webhooks.create({
      endpoint: ENDPOINT,
      events: ["email.sent"],
    });
    expect(eleventh.error).toMatchObject({ statusCode: 403, name: "validation_error" });
  });

  test("events list, get and replay, and their attempts", async () => {
    const { id: webhookId } = await aWebhook(companyId);
    const eventIds: string[] = [];
    for (let i = 0; i < 3; i++)
      eventIds.unshift(
        dataOf(await posthouse.post<{ id: string }>(`/webhooks/${webhookId}/test`)).id,
      );
    const eventId = eventIds[0]!;
    const uuid = parseEventId(eventId)!;
    await db().insert(webhookAttempts).values({
      eventId: uuid,
      number: 1,
      httpStatusCode: 500,
      response: "oops",
      error: "HTTP 500",
      durationMs: 12,
      sentAt: "2026-03-02 09:30:00+00",
    });
    await db()
      .update(webhookEvents)
      .set({ attempts: 1, status: "failed", nextAttemptAt: null })
      .where(eq(webhookEvents.id, uuid));

    const listed = dataOf(await posthouse.webhooks.events.list({ webhookId, limit: 2 }));
    expect(listed).toMatchObject({
      has_more: true,
      data: [
        { id: eventId, type: "email.sent", status: "failed" },
        { id: eventIds[1], type: "email.sent", status: "pending" },
      ],
    });
    const next = await posthouse.webhooks.events.list({ webhookId, after: eventIds[1]! });
    expect(dataOf(next).data.map(({ id }) => id)).toEqual([eventIds[2]]);

    const got = dataOf(await posthouse.webhooks.events.get({ webhookId, eventId }));
    expect(got).toMatchObject({
      object: "webhook_event",
      id: eventId,
      status: "failed",
      next_attempt_at: null,
      payload: { type: "email.sent", data: { subject: "Test event", tags: { test: "true" } } },
    });
    const attempts = await posthouse.webhooks.events.attempts.list({ webhookId, eventId });
    expect(dataOf(attempts).data).toMatchObject([
      { id: `${eventId}_1`, http_status_code: 500, response: "oops" },
    ]);
    expect(dataOf(await posthouse.webhooks.events.replay({ webhookId, eventId }))).toEqual({
      object: "webhook_event",
      id: eventId,
    });
    expect(dataOf(await posthouse.webhooks.events.get({ webhookId, eventId }))).toMatchObject({
      status: "attempting",
    });
    const missing = await posthouse.webhooks.events.get({
      webhookId,
      eventId: toEventId(crypto.randomUUID()),
    });
    expect(missing.error).toMatchObject({ name: "not_found", message: "Webhook event not found" });
  });
});

describe("requests of other SDKs", () => {
  test.each([
    ["nothing", ""],
    ["{}", "{}"],
    ["null", "null"],
  ])("a POST that needs no body, with %s as its body", async (_, body) => {
    const { id } = await aWebhook(companyId);
    expect((await raw("POST", `/webhooks/${id}/signing-secret/rotate`, body)).status).toBe(200);
    const answer = await raw("POST", `/webhooks/${id}/test`, body);
    expect(answer.status).toBe(200);
    const event = JSON.parse(answer.text) as { id: string };
    const replay = `/webhooks/${id}/events/${event.id}/replay`;
    expect((await raw("POST", replay, body)).status).toBe(200);
  });

  test("the webhook's id in the body of an update, and a body with GET and DELETE", async () => {
    const { id } = await aWebhook(companyId);
    const body = JSON.stringify({ webhook_id: id, status: "disabled" });
    expect((await raw("PATCH", `/webhooks/${id}`, body)).status).toBe(200);
    expect((await raw("GET", `/webhooks/${id}`, "{}")).status).toBe(200);
    expect((await raw("DELETE", `/webhooks/${id}`, "{}")).status).toBe(200);
  });

  test("an unsupported method", async () => {
    const { id } = await aWebhook(companyId);
    const wrong = await raw("GET", `/webhooks/${id}/test`);
    expect([wrong.status, wrong.headers.allow]).toEqual([405, "POST"]);
  });
});
