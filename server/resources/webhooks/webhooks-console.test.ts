import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { webhookAttempts, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { parseEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { db } from "#server/db/pool.ts";
import { anEventOf, aWebhookOwner, callFromPage } from "#server/testing/console-webhooks.ts";

import { webhookEventsConsole } from "./console-events.ts";
import { webhooksConsole } from "./console.ts";

const BODY = { endpoint: "https://hooks.example.net/posthouse", events: ["email.sent"] };
const HOUR_MS = 3_600_000;

test("lists webhooks with their health of the last 24 hours and without secrets", async () => {
  const { webhook, cookie } = await aWebhookOwner({
    failures: 3,
    failingSince: "2026-03-04T10:15:00Z",
  });
  for (const status of ["success", "success", "failed", "pending", "attempting"] as const)
    await anEventOf(webhook, { status });
  const createdAt = new Date(Date.now() - 25 * HOUR_MS).toISOString();
  await anEventOf(webhook, { status: "success", createdAt });

  const { body } = await callFromPage(webhooksConsole.list, { cookie });

  expect(body).toMatchObject({
    hasMore: false,
    data: [
      {
        id: webhook.id,
        endpoint: webhook.endpoint,
        status: "enabled",
        failures: 3,
        failingSince: "2026-03-04T10:15:00.000Z",
        health: { delivered: 2, failed: 1, waiting: 2 },
      },
    ],
  });
  expect(JSON.stringify(body)).not.toContain("whsec_");
});

test("returns the secret of a new webhook, reveals it, and rotates it", async () => {
  const { companyId, cookie } = await aWebhookOwner();
  const created = await callFromPage(webhooksConsole.create, { cookie, body: BODY });
  expect(created.status).toBe(200);
  const { id, signingSecret: secret } = created.body as { id: string; signingSecret: string };
  expect(secret).toMatch(/^whsec_/);
  const reveal = () => callFromPage(webhooksConsole.getSigningSecret, { cookie, params: { id } });
  expect((await reveal()).body).toEqual({ signingSecret: secret });

  const rotated = await callFromPage(webhooksConsole.rotateSigningSecret, {
    cookie,
    params: { id },
  });
  expect(rotated.body).not.toEqual({ signingSecret: secret });
  expect((await reveal()).body).toEqual(rotated.body);
  expect(await db().$count(webhooks, eq(webhooks.companyId, companyId))).toBe(2);
});

test.each([
  ["an empty endpoint", { ...BODY, endpoint: "" }, /^endpoint: must be an https URL/],
  ["a private address", { ...BODY, endpoint: "https://10.0.0.1/" }, /^endpoint: /],
  ["no event types", { ...BODY, events: [] }, /^events: must contain at least one/],
])("the error names the field: %s", async (_, body, message) => {
  const { cookie } = await aWebhookOwner();
  const answered = await callFromPage(webhooksConsole.create, { cookie, body });
  expect(answered).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(message) as string },
  });
});

test("explains why a webhook fails and counts its pending events", async () => {
  const { webhook, cookie, params } = await aWebhookOwner({ failures: 2 });
  const event = await anEventOf(webhook, {
    status: "attempting",
    attempts: 2,
    nextAttemptAt: "2026-03-04T11:00:00Z",
  });
  await anEventOf(webhook, { nextAttemptAt: "2026-03-04T11:00:00Z" });
  await db()
    .insert(webhookAttempts)
    .values(
      ["HTTP 500", "ENOTFOUND"].map((error, index) => ({
        eventId: event.id,
        number: index + 1,
        error,
        durationMs: 8,
        sentAt: `2026-03-04T10:1${index}:00Z`,
      })),
    );

  expect((await callFromPage(webhooksConsole.get, { cookie, params })).body).toMatchObject({
    waiting: 2,
    lastFailure: {
      error: "ENOTFOUND",
      explanation: "The hostname does not exist in DNS.",
      at: "2026-03-04T10:11:00.000Z",
    },
  });

  await db().update(webhooks).set({ failures: 0 }).where(eq(webhooks.id, webhook.id));
  expect((await callFromPage(webhooksConsole.get, { cookie, params })).body).toMatchObject({
    lastFailure: null,
  });
});

test("updates single fields of a webhook, and deletes it", async () => {
  const { cookie, params } = await aWebhookOwner();
  const read = async () => (await callFromPage(webhooksConsole.get, { cookie, params })).body;
  await callFromPage(webhooksConsole.update, { cookie, params, body: { status: "disabled" } });
  expect(await read()).toMatchObject({ status: "disabled", disabledForFailures: false });
  await callFromPage(webhooksConsole.update, { cookie, params, body: BODY });
  expect(await read()).toMatchObject({ ...BODY, status: "disabled" });

  expect((await callFromPage(webhooksConsole.delete, { cookie, params })).status).toBe(200);
  expect((await callFromPage(webhooksConsole.get, { cookie, params })).status).toBe(404);
});

test("filters events by status and type, newest first, with keyset pagination", async () => {
  const { webhook, cookie, params } = await aWebhookOwner();
  const at = (minute: number) => `2026-03-04T10:0${minute}:00Z`;
  const first = await anEventOf(webhook, { status: "failed", createdAt: at(1) });
  const second = await anEventOf(webhook, { type: "email.bounced", createdAt: at(2) });
  const third = await anEventOf(webhook, { status: "failed", createdAt: at(3), isTest: true });
  const ids = async (query: Record<string, string>) => {
    const { body } = await callFromPage(webhookEventsConsole.listEvents, {
      cookie,
      params,
      query,
    });
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  expect(await ids({})).toEqual([third.shownId, second.shownId, first.shownId]);
  expect(await ids({ status: "failed" })).toEqual([third.shownId, first.shownId]);
  expect(await ids({ status: "failed", limit: "1", after: third.shownId })).toEqual([
    first.shownId,
  ]);
  expect(await ids({ type: "email.bounced" })).toEqual([second.shownId]);
  for (const [name, wrong] of [
    ["status", "lost"],
    ["type", "email.read"],
  ] as const) {
    const query = { [name]: wrong };
    expect(
      (await callFromPage(webhookEventsConsole.listEvents, { cookie, params, query })).status,
    ).toBe(422);
  }
});

test("paginates past an event whose status no longer matches the filter", async () => {
  const { webhook, cookie } = await aWebhookOwner();
  for (const hour of [1, 2, 3])
    await anEventOf(webhook, {
      status: "attempting",
      createdAt: new Date(Date.now() - hour * HOUR_MS).toISOString(),
    });
  const list = (query: object) =>
    callFromPage(webhookEventsConsole.listEvents, {
      cookie,
      params: { id: webhook.id },
      query: { status: "attempting", limit: "1", ...query },
    });
  const [first] = ((await list({})).body as { data: { id: string }[] }).data;
  await db()
    .update(webhookEvents)
    .set({ status: "success" })
    .where(eq(webhookEvents.id, parseEventId(first!.id)!));

  expect(await list({ after: first!.id })).toMatchObject({
    status: 200,
    body: { hasMore: true, data: [{ status: "attempting" }] },
  });
});

test("shows a webhook whose secret can't be decrypted, and rotates it", async () => {
  const { webhook, cookie } = await aWebhookOwner({ sealedSecret: "v1.sealed-with-another-key" });
  const params = { id: webhook.id };

  expect((await callFromPage(webhooksConsole.list, { cookie })).status).toBe(200);
  expect((await callFromPage(webhooksConsole.get, { cookie, params })).status).toBe(200);
  expect((await callFromPage(webhooksConsole.rotateSigningSecret, { cookie, params })).status).toBe(
    200,
  );
  expect((await callFromPage(webhooksConsole.getSigningSecret, { cookie, params })).status).toBe(
    200,
  );
});

test("lists each event's recipient or domain", async () => {
  const { webhook, cookie, params } = await aWebhookOwner();
  const payloads = [{ to: ["ben@example.net", "carla@example.net"] }, { name: "shop.example" }, {}];
  for (const data of payloads)
    await anEventOf(webhook, { payload: { type: "email.sent", created_at: "", data } });
  const { body } = await callFromPage(webhookEventsConsole.listEvents, { cookie, params });
  const { data } = body as { data: { about: string | null }[] };
  expect(data.map(({ about }) => about)).toEqual([null, "shop.example", "ben@example.net"]);
});

test("returns an event's payload and attempts, and replays it", async () => {
  const { webhook, cookie, params } = await aWebhookOwner();
  const event = await anEventOf(webhook, { status: "failed", attempts: 1 });
  const path = { ...params, eventId: event.shownId };
  await db().insert(webhookAttempts).values({
    eventId: event.id,
    number: 1,
    error: "HTTP 401",
    httpStatusCode: 401,
    response: "Unauthorized",
    durationMs: 31,
    sentAt: "2026-03-04T10:15:00Z",
  });

  const read = async () =>
    (await callFromPage(webhookEventsConsole.getEvent, { cookie, params: path })).body;
  expect(await read()).toMatchObject({
    id: event.shownId,
    status: "failed",
    nextAttemptAt: null,
    payload: { type: "email.sent", data: { a: 1 } },
    webhook: { endpoint: webhook.endpoint, status: "enabled" },
  });
  expect(
    (await callFromPage(webhookEventsConsole.listAttempts, { cookie, params: path })).body,
  ).toMatchObject({
    data: [
      {
        id: `${event.shownId}_1`,
        number: 1,
        httpStatus: 401,
        response: "Unauthorized",
        durationMs: 31,
        explanation: expect.stringContaining("signature verification") as string,
      },
    ],
  });

  expect(
    (await callFromPage(webhookEventsConsole.replayEvent, { cookie, params: path })).body,
  ).toEqual({
    id: event.shownId,
  });
  expect(await read()).toMatchObject({ status: "attempting", isReplay: true });
});

test("counts and replays all failed events, and sends a test event", async () => {
  const { webhook, cookie, params } = await aWebhookOwner();
  for (const status of ["failed", "failed", "success"] as const)
    await anEventOf(webhook, { status });
  expect((await callFromPage(webhookEventsConsole.countFailed, { cookie, params })).body).toEqual({
    failed: 2,
  });
  expect((await callFromPage(webhookEventsConsole.replayFailed, { cookie, params })).body).toEqual({
    replayed: 2,
  });
  expect((await callFromPage(webhookEventsConsole.countFailed, { cookie, params })).body).toEqual({
    failed: 0,
  });

  const sent = await callFromPage(webhooksConsole.sendTestEvent, { cookie, params });
  const { eventId } = sent.body as { eventId: string };
  const event = await callFromPage(webhookEventsConsole.getEvent, {
    cookie,
    params: { ...params, eventId },
  });
  expect(event.body).toMatchObject({ isTest: true, type: "email.sent" });
});
