import { and, eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { auditEntries, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";
import { db } from "#server/db/pool.ts";
import { withoutRates } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aWebhook } from "#server/testing/factories.ts";

import { webhooksApi } from "./api.ts";

const ENDPOINT = "https://shop.example.com/hook?key=a";
const EVENTS = ["email.sent", "email.bounced"];
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const UUID = "0198c0de-0000-7000-8000-000000000000";
const NOT_FOUND = {
  status: 404,
  body: { statusCode: 404, name: "not_found", message: "Webhook not found" },
};
const aString = expect.any(String) as string;

let companyId: string;
let key: string;

beforeAll(withoutRates);
beforeEach(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId)).token;
});

const create = (body: object = { endpoint: ENDPOINT, events: EVENTS }) =>
  call(webhooksApi.create, { key, body });
const get = (id: string) => call(webhooksApi.get, { key, params: { id } });
const list = (query: Record<string, string> = {}) => call(webhooksApi.list, { key, query });
const update = (id: string, body: object = {}) =>
  call(webhooksApi.update, { key, params: { id }, body });
const remove = (id: string) => call(webhooksApi.delete, { key, params: { id } });
const rotate = (id: string) => call(webhooksApi.rotateSecret, { key, params: { id } });

type Made = { id: string; signing_secret: string };

async function created(): Promise<Made> {
  const { status, body } = await create();
  expect(body).toEqual({
    object: "webhook",
    id: aString,
    signing_secret: expect.stringMatching(SECRET) as string,
  });
  expect(status).toBe(200);
  return body as Made;
}

const stored = async (id: string) =>
  (await db().select().from(webhooks).where(eq(webhooks.id, id)))[0]!;

const auditOf = (action: string) =>
  db()
    .select({ actor: auditEntries.actor, details: auditEntries.details })
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action)))
    .orderBy(auditEntries.id);

describe("POST /webhooks", () => {
  test("creates an enabled webhook with its own secret, encrypted in the database", async () => {
    const [made, other] = [await created(), await created()];

    expect((await get(made.id)).body).toEqual({
      object: "webhook",
      id: made.id,
      endpoint: ENDPOINT,
      events: EVENTS,
      status: "enabled",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      signing_secret: made.signing_secret,
    });
    expect(other.signing_secret).not.toBe(made.signing_secret);
    const { sealedSecret } = await stored(made.id);
    expect(sealedSecret).not.toContain(made.signing_secret);
    expect(unseal("webhook_secret", sealedSecret)).toBe(made.signing_secret);
  });

  test("ignores duplicate events and unknown fields", async () => {
    const events = ["email.sent", "email.bounced", "email.sent"];
    const { body } = await create({ endpoint: ENDPOINT, events, webhook_id: "x", name: "Shop" });
    expect((await get((body as Made).id)).body).toMatchObject({ events: EVENTS });
  });

  test("accepts every event type, and 20 entries with duplicates", async () => {
    expect((await create({ endpoint: ENDPOINT, events: [...WEBHOOK_EVENT_TYPES] })).status).toBe(
      200,
    );
    const twenty = Array.from({ length: 20 }, () => "email.sent");
    expect((await create({ endpoint: ENDPOINT, events: twenty })).status).toBe(200);
  });

  test.each([
    ["an endpoint", { events: EVENTS }, "endpoint"],
    ["an endpoint, which is null,", { endpoint: null, events: EVENTS }, "endpoint"],
    ["an endpoint, which is empty,", { endpoint: " ", events: EVENTS }, "endpoint"],
    ["events", { endpoint: ENDPOINT }, "events"],
    ["events, which are null,", { endpoint: ENDPOINT, events: null }, "events"],
    ["events, before a wrong endpoint,", { endpoint: 7 }, "events"],
  ])("returns missing_required_field without %s", async (_, body, field) => {
    expect(await create(body)).toMatchObject({
      status: 422,
      body: { name: "missing_required_field", message: `Missing required field: ${field}` },
    });
  });

  test.each([
    ["an endpoint without https", { endpoint: "http://shop.example/" }, /^endpoint: .*https/],
    ["what is no URL", { endpoint: "shop.example" }, /^endpoint: /],
    ["another port", { endpoint: "https://shop.example.com:444/" }, /^endpoint: .*port/],
    ["a password in the URL", { endpoint: "https://a:b@shop.example/" }, /^endpoint: /],
    ["a private address", { endpoint: "https://10.0.0.1/" }, /^endpoint: .*public/],
    [
      "an endpoint of 2,001 characters",
      { endpoint: `https://a.example.com/${"a".repeat(1983)}` },
      /2000/,
    ],
    ["an endpoint that is a number", { endpoint: 7 }, /^endpoint: must be a string, not a number$/],
    ["no events", { events: [] }, /^events: must list 1 to 20/],
    ["21 events", { events: Array.from({ length: 21 }, () => "email.sent") }, /at most 20/],
    [
      "an event type that there is not",
      { events: ["email.sent", "contact.created"] },
      /"contact.created"/,
    ],
    ["all events by a star", { events: ["*"] }, /"\*" is not an event type/],
    ["one event as a text", { events: "email.sent" }, /^events: must be a list, not a string$/],
    ["an event that is a number", { events: ["email.sent", 7] }, /^events\[1\]: must be a string/],
  ])("rejects %s", async (_, fields, message) => {
    const answer = await create({ endpoint: ENDPOINT, events: EVENTS, ...fields });
    expect(answer).toMatchObject({ status: 422, body: { name: "validation_error" } });
    expect((answer.body as { message: string }).message).toMatch(message);
  });

  test("rejects a company's eleventh webhook, also under concurrent requests", async () => {
    for (let i = 0; i < 7; i++) await aWebhook(companyId);
    const answers = await Promise.all(Array.from({ length: 12 }, () => create()));

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(9);
    expect(refused[0]).toMatchObject({ status: 403, body: { name: "validation_error" } });
    expect(await db().$count(webhooks, eq(webhooks.companyId, companyId))).toBe(10);

    await remove(
      (await db().select().from(webhooks).where(eq(webhooks.companyId, companyId)))[0]!.id,
    );
    await created();
  });

  test("writes an audit entry without the secret", async () => {
    const { id } = await created();
    const details = { webhookId: id, endpoint: ENDPOINT, events: EVENTS };
    expect(await auditOf("webhook.created")).toEqual([{ actor: "API key Test key", details }]);
  });
});

describe("GET /webhooks", () => {
  test("lists webhooks newest first, with their secrets", async () => {
    const older = await created();
    const { id, signing_secret } = await created();

    expect((await list()).body).toEqual({
      object: "list",
      has_more: false,
      data: [
        {
          id,
          signing_secret,
          endpoint: ENDPOINT,
          events: EVENTS,
          status: "enabled",
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d [\d:]{8}\.\d{6}\+00$/) as string,
        },
        expect.objectContaining({ id: older.id }),
      ],
    });
  });

  test("pages by webhook ids", async () => {
    const ids = [await created(), await created(), await created()]
      .map(({ id }) => id)
      .toReversed();
    const page = async (query: Record<string, string>) => {
      const body = (await list(query)).body as { has_more: boolean; data: { id: string }[] };
      return [body.data.map(({ id }) => ids.indexOf(id)), body.has_more];
    };

    expect(await page({ limit: "2" })).toEqual([[0, 1], true]);
    expect(await page({ limit: "2", after: ids[1]! })).toEqual([[2], false]);
    expect(await page({ limit: "1", before: ids[2]! })).toEqual([[1], true]);
  });

  test.each([
    ["a limit of 0", { limit: "0" }],
    ["a limit of 101", { limit: "101" }],
    ["both cursors", { after: UUID, before: UUID }],
    ["a cursor that is no webhook", { after: UUID }],
    ["a cursor that is no id", { after: "7" }],
  ])("rejects %s", async (_, query) => {
    expect(await list(query)).toMatchObject({ status: 422, body: { name: "validation_error" } });
  });

  test("omits other companies' webhooks and rejects them as cursors", async () => {
    const theirs = await aWebhook((await aCompany()).id);
    expect((await list()).body).toMatchObject({ data: [] });
    expect((await list({ after: theirs.id })).status).toBe(422);
  });
});

describe("PATCH /webhooks/{id}", () => {
  test("changes the given fields, keeps the rest, and writes an audit entry", async () => {
    const { id, signing_secret } = await created();
    const events = ["domain.created", "domain.created"];
    expect((await update(id, { events })).body).toEqual({ object: "webhook", id });
    await update(id, { endpoint: "https://other.example.com:8443/", webhook_id: id });
    await update(id, { status: "disabled", endpoint: null, events: null });

    expect((await get(id)).body).toMatchObject({
      endpoint: "https://other.example.com:8443/",
      events: ["domain.created"],
      status: "disabled",
      signing_secret,
    });
    expect((await auditOf("webhook.updated")).map(({ details }) => details)).toEqual([
      { webhookId: id, events: ["domain.created"] },
      { webhookId: id, endpoint: "https://other.example.com:8443/" },
      { webhookId: id, status: "disabled" },
    ]);
  });

  test("accepts a request that changes nothing, without an audit entry", async () => {
    const { id } = await created();
    expect((await update(id)).status).toBe(200);
    expect(
      (await update(id, { endpoint: ENDPOINT, events: EVENTS, status: "enabled" })).status,
    ).toBe(200);
    expect(await auditOf("webhook.updated")).toEqual([]);
  });

  test.each([
    ["a status that there is not", { status: "paused" }, "status: must be enabled or disabled"],
    ["an empty status", { status: "" }, "status: must be enabled or disabled"],
    ["no events", { events: [] }, "events: must list 1 to 20 event types"],
    [
      "21 events",
      { events: Array.from({ length: 21 }, () => "email.sent") },
      "events: must have at most 20 entries",
    ],
    [
      "a wrong endpoint, and keeps the right status",
      { status: "disabled", endpoint: "http://a.example" },
      "https",
    ],
    ["an empty endpoint", { endpoint: "" }, "endpoint: "],
  ])("rejects %s", async (_, body, message) => {
    const { id } = await created();
    expect(await update(id, body)).toMatchObject({
      status: 422,
      body: { name: "validation_error", message: expect.stringContaining(message) as string },
    });
    expect((await get(id)).body).toMatchObject({ status: "enabled", endpoint: ENDPOINT });
  });
});

describe("POST /webhooks/{id}/signing-secret/rotate", () => {
  test("returns a new secret and invalidates the old one immediately", async () => {
    const { id, signing_secret: old } = await created();
    const { body } = await rotate(id);

    expect(body).toEqual({
      object: "webhook",
      id,
      signing_secret: expect.stringMatching(SECRET) as string,
    });
    const { signing_secret } = body as Made;
    expect(signing_secret).not.toBe(old);
    expect((await get(id)).body).toMatchObject({ signing_secret });
    expect(unseal("webhook_secret", (await stored(id)).sealedSecret)).toBe(signing_secret);
    expect(await auditOf("webhook.secret_rotated")).toMatchObject([{ details: { webhookId: id } }]);
  });
});

describe("DELETE /webhooks/{id}", () => {
  test("deletes a webhook with its events, with an audit entry", async () => {
    const { id } = await created();
    await db()
      .insert(webhookEvents)
      .values({
        webhookId: id,
        companyId,
        type: "email.sent",
        payload: { type: "email.sent", created_at: "", data: {} },
      });

    expect((await remove(id)).body).toEqual({ object: "webhook", id, deleted: true });
    expect(await get(id)).toMatchObject(NOT_FOUND);
    expect(await db().$count(webhookEvents, eq(webhookEvents.webhookId, id))).toBe(0);
    const details = { webhookId: id, endpoint: ENDPOINT };
    expect(await auditOf("webhook.deleted")).toMatchObject([{ details }]);
  });

  test("deletes once under concurrent requests", async () => {
    const { id } = await created();
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await auditOf("webhook.deleted")).toHaveLength(1);
  });
});

describe.each([
  ["GET", get],
  ["PATCH", (id: string) => update(id, { status: "disabled" })],
  ["DELETE", remove],
  ["rotate", rotate],
])("%s returns not_found", (_, act) => {
  test.each([
    ["for an id of nothing", UUID],
    ["for a malformed id", "7"],
  ])("%s", async (_, id) => {
    expect(await act(id)).toMatchObject(NOT_FOUND);
  });

  test("for another company's id, which stays unchanged", async () => {
    const { id } = await aWebhook((await aCompany()).id);
    const before = await stored(id);
    expect(await act(id)).toMatchObject(NOT_FOUND);
    expect(await stored(id)).toEqual(before);
  });
});
