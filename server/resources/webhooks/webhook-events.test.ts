import { and, eq, sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { auditEntries, webhookAttempts, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { parseEventId, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { db } from "#server/db/pool.ts";
import { withoutRates, withSettings } from "#server/testing/api-sender.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { call } from "#server/testing/call.ts";
import { dueEvents, eventOf } from "#server/testing/due-events.ts";
import { aCompany, anApiKey, aWebhook } from "#server/testing/factories.ts";

import { webhooksApi } from "./api.ts";

const NOTHING = "0198c0de-0000-7000-8000-000000000000";
const API_TIMESTAMP = /^\d{4}-\d\d-\d\d [\d:]{8}\.\d{6}\+00$/;
const notFound = (message: string) => ({ status: 404, body: { name: "not_found", message } });
const aString = expect.any(String) as string;

type Row = typeof webhookEvents.$inferInsert;
type Query = Record<string, string>;

let key: string;
let webhook: Awaited<ReturnType<typeof aWebhook>>;

beforeAll(withoutRates);
beforeEach(async () => {
  const { id } = await aCompany();
  key = (await anApiKey(id)).token;
  webhook = await aWebhook(id);
});

const list = (id: string, query: Query = {}) =>
  call(webhooksApi.listEvents, { key, params: { id }, query });
const get = (id: string, event_id: string) =>
  call(webhooksApi.getEvent, { key, params: { id, event_id } });
const attempts = (id: string, event_id: string, query: Query = {}) =>
  call(webhooksApi.listAttempts, { key, params: { id, event_id }, query });
const replay = (id: string, event_id: string) =>
  call(webhooksApi.replayEvent, { key, params: { id, event_id } });
const sendTest = (id: string) => call(webhooksApi.sendTestEvent, { key, params: { id } });

const disable = () =>
  db().update(webhooks).set({ status: "disabled" }).where(eq(webhooks.id, webhook.id));

async function anEvent(overrides: Partial<Row> = {}, of = webhook): Promise<string> {
  const [id] = await dueEvents(of, 1, overrides as Parameters<typeof dueEvents>[2]);
  return toEventId(id!);
}

const rowOf = (eventId: string) => eventOf(parseEventId(eventId)!);

/** Attempts with these numbers; even ones have a response. */
const tried = (eventId: string, ...numbers: number[]) =>
  db()
    .insert(webhookAttempts)
    .values(
      numbers.map((number) => ({
        eventId: parseEventId(eventId)!,
        number,
        durationMs: 12,
        ...(number % 2 === 0
          ? { httpStatusCode: 500, response: "oops", error: "HTTP 500" }
          : { httpStatusCode: null, response: "", error: "timeout" }),
        sentAt: `2026-03-02 09:30:${String(number).padStart(2, "0")}.5+00`,
      })),
    );

const idsOf = (body: unknown) => {
  const { data, has_more } = body as { has_more: boolean; data: { id: string }[] };
  return [data.map(({ id }) => id), has_more] as const;
};

describe("GET /webhooks/{id}/events", () => {
  test("lists the webhook's events newest first, with type and status", async () => {
    const old = await anEvent({ createdAt: "2026-03-02 09:30:00.1+00", status: "failed" });
    const id = await anEvent({ type: "domain.created", status: "success" });
    await anEvent({}, await aWebhook(webhook.companyId));

    expect((await list(webhook.id)).body).toEqual({
      object: "list",
      has_more: false,
      data: [
        {
          id,
          type: "domain.created",
          status: "success",
          created_at: expect.stringMatching(API_TIMESTAMP) as string,
        },
        {
          id: old,
          type: "email.sent",
          status: "failed",
          created_at: "2026-03-02 09:30:00.100000+00",
        },
      ],
    });
  });

  test("pages by event ids, including events of the same moment", async () => {
    const at = { createdAt: "2026-03-02 09:30:00+00" };
    for (let i = 0; i < 5; i++) await anEvent(at);
    const [ids] = idsOf((await list(webhook.id)).body);
    const page = async (query: Query) => idsOf((await list(webhook.id, query)).body);

    expect(await page({ limit: "2" })).toEqual([ids.slice(0, 2), true]);
    expect(await page({ limit: "2", after: ids[1]! })).toEqual([ids.slice(2, 4), true]);
    expect(await page({ limit: "2", after: ids[3]! })).toEqual([ids.slice(4), false]);
    expect(await page({ limit: "2", before: ids[3]! })).toEqual([ids.slice(1, 3), true]);
    expect(await page({ limit: "9", before: ids[0]! })).toEqual([[], false]);
  });

  test("rejects invalid limits and cursors of other lists", async () => {
    const id = await anEvent();
    const other = await anEvent({}, await aWebhook(webhook.companyId));
    const uuid = parseEventId(id)!;
    const wrong: Query[] = [
      { limit: "0" },
      { limit: "101" },
      { limit: "x" },
      { after: id, before: id },
      { after: other },
      { before: toEventId(NOTHING) },
      { after: uuid },
      { after: webhook.id },
      { after: `${id}_1` },
      { after: id.toUpperCase() },
    ];
    for (const query of wrong)
      expect(await list(webhook.id, query)).toMatchObject({
        status: 422,
        body: { name: "validation_error" },
      });
  });

  test("returns not_found for another company's webhook and an unknown one", async () => {
    const theirs = await aWebhook((await aCompany()).id);
    for (const id of [theirs.id, NOTHING, "7"])
      expect(await list(id)).toMatchObject(notFound("Webhook not found"));
  });
});

describe("GET /webhooks/{id}/events/{event_id}", () => {
  test("returns an event with its payload", async () => {
    const payload = {
      type: "email.sent",
      created_at: "2026-03-02T09:30:00.412Z",
      data: { a: "ü" },
    };
    const id = await anEvent({ payload, status: "attempting", attempts: 3 });

    expect((await get(webhook.id, id)).body).toEqual({
      object: "webhook_event",
      id,
      webhook_id: webhook.id,
      type: "email.sent",
      created_at: expect.stringMatching(API_TIMESTAMP) as string,
      status: "attempting",
      attempts: 3,
      payload,
      next_attempt_at: expect.stringMatching(API_TIMESTAMP) as string,
    });
  });

  test.each(["success", "failed"] as const)("has no next attempt if it is %s", async (status) => {
    const id = await anEvent({ status, nextAttemptAt: null });
    expect((await get(webhook.id, id)).body).toMatchObject({ status, next_attempt_at: null });
  });

  test("has no next attempt while the webhook is disabled, although the event is kept", async () => {
    const id = await anEvent();
    await disable();
    expect((await get(webhook.id, id)).body).toMatchObject({
      status: "pending",
      next_attempt_at: null,
    });
  });
});

describe("GET /webhooks/{id}/events/{event_id}/attempts", () => {
  test("lists the attempts newest first", async () => {
    const id = await anEvent();
    await tried(id, 1, 2);

    expect((await attempts(webhook.id, id)).body).toEqual({
      object: "list",
      has_more: false,
      data: [
        {
          id: `${id}_2`,
          http_status_code: 500,
          response: "oops",
          error: "HTTP 500",
          duration_ms: 12,
          sent_at: "2026-03-02T09:30:02.500Z",
        },
        {
          id: `${id}_1`,
          http_status_code: null,
          response: "",
          error: "timeout",
          duration_ms: 12,
          sent_at: "2026-03-02T09:30:01.500Z",
        },
      ],
    });
  });

  test("pages by attempt ids, with 9 before 10", async () => {
    const id = await anEvent();
    await tried(id, 8, 9, 10, 11);
    const page = async (query: Query) => {
      const [ids, hasMore] = idsOf((await attempts(webhook.id, id, query)).body);
      return [ids.map((attempt) => Number(attempt.split("_")[2])), hasMore];
    };

    expect(await page({ limit: "2" })).toEqual([[11, 10], true]);
    expect(await page({ limit: "2", after: `${id}_10` })).toEqual([[9, 8], false]);
    expect(await page({ limit: "1", before: `${id}_8` })).toEqual([[9], true]);
    expect(await page({ limit: "5", before: `${id}_9` })).toEqual([[11, 10], false]);
  });

  test("rejects invalid limits, and cursors that are not stored attempts of the event", async () => {
    const [id, other] = [await anEvent(), await anEvent()];
    await tried(id, 2);
    await tried(other, 1, 2);
    const wrong: Query[] = [
      { limit: "0" },
      { limit: "101" },
      { after: `${id}_2`, before: `${id}_2` },
      { after: `${id}_1` },
      { before: `${other}_2` },
      { after: id },
      { after: `${id}_02` },
      { after: "2" },
      { after: `${id}_99999999999` },
      { after: `${id}_2 ` },
    ];
    for (const query of wrong)
      expect(await attempts(webhook.id, id, query)).toMatchObject({
        status: 422,
        body: { name: "validation_error" },
      });
  });
});

describe("POST /webhooks/{id}/test", () => {
  test("queues a sample event, whether or not the webhook subscribes to its type", async () => {
    webhook = await aWebhook(webhook.companyId, { events: ["domain.created"] });
    const { status, body } = await sendTest(webhook.id);
    expect(status).toBe(200);
    expect(body).toEqual({ object: "webhook_event", id: expect.stringMatching(/^msg_/) as string });

    const { id } = body as { id: string };
    const now = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string;
    expect((await get(webhook.id, id)).body).toMatchObject({
      type: "email.sent",
      status: "pending",
      attempts: 0,
      next_attempt_at: aString,
      payload: {
        type: "email.sent",
        created_at: now,
        data: {
          created_at: now,
          email_id: "00000000-0000-4000-8000-000000000000",
          from: aString,
          to: [aString],
          subject: "Test event",
          tags: { test: "true" },
        },
      },
    });
    const row = await rowOf(id);
    expect(row).toMatchObject({ isTest: true, companyId: webhook.companyId });
    expect(Object.keys(row.payload.data)).toHaveLength(6);
  });

  test("is rejected while the webhook is disabled", async () => {
    await disable();
    expect(await sendTest(webhook.id)).toMatchObject({
      status: 422,
      body: { name: "validation_error" },
    });
  });

  test("is rejected while five are pending, also under concurrent requests", async () => {
    await dueEvents(webhook, 9);
    await anEvent({ isTest: true, nextAttemptAt: null });
    let sending: ReturnType<typeof sendTest>[] = [];
    await db().transaction(async (tx) => {
      await tx.select().from(webhooks).where(eq(webhooks.id, webhook.id)).for("update");
      sending = Array.from({ length: 7 }, () => sendTest(webhook.id));
      await untilBlocked(7);
    });
    const answers = await Promise.all(sending);

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(2);
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 429, body: { name: "rate_limit_exceeded" } });
    expect(refused[0]!.headers.get("retry-after")).toBeNull();
    expect((await sendTest((await aWebhook(webhook.companyId)).id)).status).toBe(200);

    const isTest = and(eq(webhookEvents.webhookId, webhook.id), eq(webhookEvents.isTest, true));
    await db().update(webhookEvents).set({ nextAttemptAt: null, status: "success" }).where(isTest);
    expect((await sendTest(webhook.id)).status).toBe(200);
  });

  test("allows as many pending events as the setting", async () => {
    await withSettings({ test_events_waiting: 2 });
    const answers = [
      await sendTest(webhook.id),
      await sendTest(webhook.id),
      await sendTest(webhook.id),
    ];
    await withSettings({ test_events_waiting: 5 });
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  });
});

describe("POST /webhooks/{id}/events/{event_id}/replay", () => {
  test.each(["success", "failed", "attempting"] as const)(
    "retries an event that is %s immediately, with the same id and payload",
    async (status) => {
      const later = sql`clock_timestamp() + interval '1 hour'`;
      const nextAttemptAt = (status === "attempting" ? later : null) as string | null;
      const id = await anEvent({ status, attempts: 4, scheduled: 3, nextAttemptAt });
      const before = await rowOf(id);

      expect((await replay(webhook.id, id)).body).toEqual({ object: "webhook_event", id });

      const { nextAttemptAt: planned, ...after } = await rowOf(id);
      expect(after).toMatchObject({
        status: "attempting",
        isReplay: true,
        attempts: 4,
        scheduled: 3,
      });
      expect(after.payload).toEqual(before.payload);
      expect(Date.parse(planned!)).toBeLessThanOrEqual(Date.now());
    },
  );

  test("makes an event that was never tried due, and keeps it pending", async () => {
    const later = sql`clock_timestamp() + interval '1 hour'` as unknown as string;
    const id = await anEvent({ nextAttemptAt: later });
    expect((await replay(webhook.id, id)).status).toBe(200);

    const { nextAttemptAt, ...event } = await rowOf(id);
    expect(event).toMatchObject({ status: "pending", isReplay: false });
    expect(Date.parse(nextAttemptAt!)).toBeLessThanOrEqual(Date.now());
  });

  test("is rejected while the webhook is disabled, and leaves the event unchanged", async () => {
    const id = await anEvent({ status: "failed", attempts: 8, nextAttemptAt: null });
    await disable();
    const before = await rowOf(id);
    expect(await replay(webhook.id, id)).toMatchObject({
      status: 422,
      body: { name: "validation_error" },
    });
    expect(await rowOf(id)).toEqual(before);
  });

  test("writes audit entries, as do test events", async () => {
    const id = await anEvent();
    await replay(webhook.id, id);
    const test = ((await sendTest(webhook.id)).body as { id: string }).id;
    const entries = await db()
      .select({ action: auditEntries.action, details: auditEntries.details })
      .from(auditEntries)
      .where(eq(auditEntries.companyId, webhook.companyId))
      .orderBy(auditEntries.id);
    const webhookId = webhook.id;
    expect(entries.slice(-2)).toEqual([
      { action: "webhook.event_replayed", details: { webhookId, eventId: id } },
      { action: "webhook.tested", details: { webhookId, eventId: test } },
    ]);
  });
});

describe.each([
  ["GET", get],
  ["attempts", attempts],
  ["replay", replay],
])("%s", (_, act) => {
  test("returns not_found for an unknown event and another webhook's event", async () => {
    const other = await aWebhook(webhook.companyId);
    const theirs = await anEvent({}, other);
    const before = await rowOf(theirs);
    const uuid = parseEventId(await anEvent())!;
    for (const id of [toEventId(NOTHING), theirs, uuid, "7", "msg_"])
      expect(await act(webhook.id, id)).toMatchObject(notFound("Webhook event not found"));
    expect(await rowOf(theirs)).toEqual(before);
  });

  test("returns not_found for another company's webhook and an unknown one", async () => {
    const theirs = await aWebhook((await aCompany()).id);
    const event = await anEvent({}, theirs);
    const before = await rowOf(event);
    for (const id of [theirs.id, NOTHING, "7"])
      expect(await act(id, event)).toMatchObject(notFound("Webhook not found"));
    expect(await rowOf(event)).toEqual(before);
  });
});

test("a test event of another company's webhook or an unknown one returns not_found", async () => {
  const theirs = await aWebhook((await aCompany()).id);
  for (const id of [theirs.id, NOTHING, "7"])
    expect(await sendTest(id)).toMatchObject(notFound("Webhook not found"));
  expect(await db().$count(webhookEvents, eq(webhookEvents.webhookId, theirs.id))).toBe(0);
});
