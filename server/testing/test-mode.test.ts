import { and, eq, gt, or, sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import {
  emails,
  idempotencyKeys,
  outbox,
  sendingTotals,
  suppressions,
  webhookEvents,
  webhooks,
} from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { testClockApi } from "#server/resources/api-keys.ts";
import { receiptsApi } from "#server/resources/emails/receipts.ts";
import { webhooksApi } from "#server/resources/webhooks/api.ts";
import { config } from "#server/config.ts";
import { composeSource } from "#server/core/sending/emails/preview-email.ts";
import { resendEmail } from "#server/core/sending/emails/send-emails.ts";
import { acquireKey, keyedEndpoint } from "#server/core/sending/idempotency/idempotency.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { readUnsubscribe } from "#server/core/sending/tracking/tracking-token.ts";
import { recordUnsubscribe } from "#server/core/sending/unsubscribe/hosted-unsubscribe.ts";
import { db } from "#server/db/pool.ts";

import { anApiSender, historyOf, withoutRates } from "./api-sender.ts";
import { call } from "./call.ts";
import { aContext, anAdmin, anApiKey, aSuppression } from "./factories.ts";
import { messagePumps } from "./message-pump.ts";
import { outsideMail } from "./outside-mail.ts";
import type { SmtpSink } from "./smtp-sink.ts";

const HOSTNAME = "posthouse.localhost";
const magic = (local: string) => `${local}@test.${HOSTNAME}`;

const { aSink, aCarrier } = outsideMail();
const pumps = messagePumps();

type Sender = Awaited<ReturnType<typeof aTestSender>>;

/** A company with a live key and a test key. Its domain isn't verified. */
async function aTestSender() {
  const sender = await anApiSender({}, { status: "pending", ownershipProvenAt: null });
  const { token: testKey } = await anApiKey(sender.companyId, { permission: "test" });
  return { ...sender, testKey };
}

let sender: Sender;
let sink: SmtpSink;
beforeAll(() => withoutRates());
beforeEach(async () => {
  sender = await aTestSender();
});

async function startPump() {
  sink = await aSink();
  await pumps.start({ carrier: await aCarrier(sink, { hostname: HOSTNAME }) });
}

async function send(fields: object = {}, key = sender.testKey, headers = {}): Promise<string> {
  const answer = await call(emailsApi.send, { key, headers, body: { ...sender.email, ...fields } });
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as { id: string }).id;
}

const typesOf = async (id: string) => (await historyOf(id)).map(({ type }) => type);
const untilTypes = (id: string, types: string[]) =>
  vi.waitFor(async () => expect(await typesOf(id)).toEqual(types), { interval: 20 });
const advance = (text: unknown, key = sender.testKey) =>
  call(testClockApi.advance, { key, body: { advance: text } });

const verifyDomain = () =>
  db().execute(sql`
    update domains set status = 'verified', ownership_proven_at = clock_timestamp()
    where id = ${sender.domain.id}`);

describe("test emails", () => {
  test("end as their recipients ask for, open no connection, and change nothing live", async () => {
    await startPump();
    const all = {
      "ann@there.test": ["sent", "delivered"],
      [magic("delivered")]: ["sent", "delivered"],
      [magic("bounced")]: ["sent", "bounced"],
      [magic("opened")]: ["sent", "delivered", "opened"],
      "clicked@resend.dev": ["sent", "delivered", "clicked"],
      [magic("complained")]: ["sent", "delivered"],
      [magic("suppressed")]: ["suppressed"],
    };
    const sent = await Promise.all(
      Object.entries(all).map(async ([to, types]) => ({
        to,
        types,
        id: await send({ to, html: '<a href="https://shop.example/?a=1&amp;b=2">Shop</a>' }),
      })),
    );
    for (const { id, types } of sent) await untilTypes(id, types);

    expect(sink.connections.opened).toBe(0);
    const { companyId } = sender;
    expect(await db().$count(suppressions, eq(suppressions.companyId, companyId))).toBe(0);
    const { hourRecipients, monthRecipients, scope } = sendingTotals;
    const counted = and(eq(scope, companyId), or(gt(hourRecipients, 0), gt(monthRecipients, 0)));
    expect(await db().$count(sendingTotals, counted)).toBe(0);
    const [clicked] = await db().execute<{ link: string }>(sql`
      select link from email_events where company_id = ${companyId} and type = 'clicked'`);
    expect(clicked!.link).toBe("https://shop.example/?a=1&b=2");
    const { id } = sent.find(({ to }) => to === magic("bounced"))!;
    const events = await call(emailsApi.listEvents, { key: sender.testKey, params: { id } });
    expect(events.body).toMatchObject({ data: [{}, { type: "email.bounced", dsn: "5.1.1" }] });
    const receipts = await call(receiptsApi.list, {
      key: sender.testKey,
      params: { id: sent[0]!.id },
    });
    expect(receipts.body).toMatchObject({ data: [] });
  });

  test("count in the metrics of test keys only", async () => {
    await send();
    const metrics = async (key: string) => (await call(emailsApi.getMetrics, { key })).body;
    expect(await metrics(sender.testKey)).toMatchObject({ totals: { sent: 1 } });
    expect(await metrics(sender.key)).toMatchObject({ totals: { sent: 0 } });
  });

  test("skip recipients on the suppression list", async () => {
    await aSuppression(sender.companyId, { email: "gone@there.test" });
    expect(await typesOf(await send({ to: "gone@there.test" }))).toEqual(["suppressed"]);
  });

  test("have an hourly limit of their own, except in local mode", async () => {
    await db().execute(sql`
      insert into emails (id, company_id, "from", subject, "to", last_event, is_test)
      select gen_random_uuid(), ${sender.companyId}, 'a', 'b', '{}', 'sent', true
      from generate_series(1, 1999)`);
    const two = [sender.email, sender.email];
    const sendTwo = () => call(emailsApi.sendBatch, { key: sender.testKey, body: two });
    config().localMode = false;
    try {
      expect(await sendTwo()).toMatchObject({
        status: 429,
        body: { message: "At most 2,000 test emails can be sent per hour" },
      });
      await send();
    } finally {
      config().localMode = true;
    }
    expect((await sendTwo()).status).toBe(200);
    await verifyDomain();
    await send({}, sender.key);
  });

  test("need a domain of the company", async () => {
    const body = { ...sender.email, from: "ann@elsewhere.example" };
    expect(await call(emailsApi.send, { key: sender.testKey, body })).toMatchObject({
      status: 403,
      body: { name: "invalid_from_address" },
    });
    // Live keys need it verified.
    expect(await call(emailsApi.send, { key: sender.key, body: sender.email })).toMatchObject({
      status: 403,
      body: { name: "invalid_from_address" },
    });
  });

  test("don't suppress recipients who unsubscribe, and can't be resent from the console", async () => {
    const headers = { "List-Unsubscribe": "auto" };
    const emailId = await send({ to: "ann@there.test", headers });
    const source = await composeSource(aContext(sender.companyId), emailId);
    const link = readUnsubscribe(/\/t\/u\/([\w-]+)>/.exec(source.toString())![1]!)!;
    const unsubscribe = async () => {
      await recordUnsubscribe(db(), link, { ipAddress: "127.0.0.1", userAgent: null });
      const own = eq(suppressions.companyId, sender.companyId);
      expect(await db().$count(suppressions, own)).toBe(0);
    };
    await unsubscribe();
    expect(await typesOf(emailId)).toEqual(["sent", "unsubscribed"]);
    await verifyDomain();
    const { id: adminId, email } = await anAdmin(sender.companyId);
    const ctx = {
      ...aContext(sender.companyId),
      actor: { kind: "admin", adminId, email } as const,
    };
    await expect(resendEmail(ctx, emailId)).rejects.toThrow("A test email can't be resent");

    await db().delete(emails).where(eq(emails.id, emailId));
    await unsubscribe();
  });
});

describe("each kind of key", () => {
  test("sees its own emails and idempotency keys only", async () => {
    const ids = { test: await send({}, sender.testKey, { "idempotency-key": "k" }), live: "" };
    await verifyDomain();
    ids.live = await send({}, sender.key, { "idempotency-key": "k" });
    expect(ids.live).not.toBe(ids.test);

    const keys = { live: sender.key, test: sender.testKey };
    for (const [mode, key] of Object.entries(keys)) {
      const own = mode === "test" ? ids.test : ids.live;
      const other = mode === "test" ? ids.live : ids.test;
      const list = await call(emailsApi.list, { key });
      expect(list.body).toMatchObject({ data: [{ id: own }] });
      expect(await call(emailsApi.get, { key, params: { id: own } })).toMatchObject({
        status: 200,
      });
      for (const endpoint of [
        emailsApi.get,
        emailsApi.listEvents,
        receiptsApi.list,
        emailsApi.cancel,
      ])
        expect(await call(endpoint, { key, params: { id: other } })).toMatchObject({ status: 404 });
    }
  });

  test("has its own webhooks, which get the events of its emails", async () => {
    const events = ["email.sent", "email.delivered", "email.complained"];
    const create = async (key: string) => {
      const body = { endpoint: "https://hooks.northwind.com/in", events };
      const answer = await call(webhooksApi.create, { key, body });
      return (answer.body as { id: string }).id;
    };
    const [test, live] = [await create(sender.testKey), await create(sender.key)];
    const list = await call(webhooksApi.list, { key: sender.testKey });
    expect(list.body).toMatchObject({ data: [{ id: test }] });
    expect(await db().$count(webhooks, eq(webhooks.companyId, sender.companyId))).toBe(2);

    await startPump();
    const id = await send({ to: magic("complained") });
    await untilTypes(id, ["sent", "delivered"]);
    const typesFor = async (webhookId: string) =>
      (
        await db()
          .select({ type: webhookEvents.type })
          .from(webhookEvents)
          .where(eq(webhookEvents.webhookId, webhookId))
      )
        .map(({ type }) => type)
        .sort();
    expect(await typesFor(test)).toEqual(events.toSorted());
    expect(await typesFor(live)).toEqual([]);

    await verifyDomain();
    await send({}, sender.key);
    expect(await typesFor(live)).toEqual(["email.sent"]);
    expect(await typesFor(test)).toHaveLength(3);
  });
});

describe("the test clock", () => {
  test("moves retries, which keep to the schedule, and then the expiry", async () => {
    await startPump();
    const id = await send({ to: magic("delayed+2") });
    const delayed = Array.from({ length: 2 }, () => "delivery_delayed");
    await untilTypes(id, ["sent", ...delayed.slice(0, 1)]);
    // The schedule's first wait is a minute.
    expect((await advance("30s")).body).toMatchObject({ retries: 1, advanced_seconds: 30 });
    await advance("1m");
    await untilTypes(id, ["sent", ...delayed]);
    await advance("1h");
    await untilTypes(id, ["sent", ...delayed, "delivered"]);

    const expiring = await send({ to: magic("delayed+20") });
    await untilTypes(expiring, ["sent", "delivery_delayed"]);
    await advance("3d");
    await untilTypes(expiring, ["sent", "delivery_delayed", "bounced"]);
  });

  test("moves schedules, webhook retries and idempotency keys of test data only", async () => {
    await verifyDomain();
    const later = { scheduled_at: "in 2 hours" };
    const test = await send(later, sender.testKey, { "idempotency-key": "k" });
    const live = await send(later, sender.key);
    const toMagicDomain = await send({ to: "x@test-mode.invalid" }, sender.key);
    const running = { key: "running", endpoint: keyedEndpoint({ isTest: true }, "POST /emails") };
    const { companyId } = sender;
    await acquireKey(db(), { companyId, ...running, bodyHash: "0".repeat(64) });
    const event = { type: "email.sent", companyId: sender.companyId } as const;
    const payload = { type: "email.sent", created_at: "", data: {} };
    const body = { endpoint: "https://hooks.northwind.com/in", events: ["email.sent"] };
    const waits: Record<string, string> = {};
    for (const key of [sender.testKey, sender.key]) {
      const { id } = (await call(webhooksApi.create, { key, body })).body as { id: string };
      const nextAttemptAt = sql`clock_timestamp() + interval '1 hour'`;
      await db()
        .insert(webhookEvents)
        .values({ ...event, payload, webhookId: id, nextAttemptAt });
      waits[key] = id;
    }
    const moved = { scheduled_emails: 1, retries: 0, webhook_events: 1 };
    expect((await advance("3h")).body).toMatchObject(moved);
    const isDue = (key: string) =>
      db().$count(
        webhookEvents,
        sql`webhook_id = ${waits[key]!} and next_attempt_at <= clock_timestamp()`,
      );
    expect(await isDue(sender.testKey)).toBe(1);
    expect(await isDue(sender.key)).toBe(0);
    const isOld = sql`created_at < clock_timestamp() - interval '1 hour'`;
    expect(await db().$count(outbox, and(eq(outbox.emailId, toMagicDomain), isOld))).toBe(0);
    const aged = await db()
      .select({ key: idempotencyKeys.key })
      .from(idempotencyKeys)
      .where(and(eq(idempotencyKeys.companyId, companyId), isOld));
    expect(aged).toEqual([{ key: "k" }]);
    await processDueEmails(db());
    expect(await typesOf(test)).toEqual(["scheduled", "sent"]);
    expect(await typesOf(live)).toEqual(["scheduled"]);
    await advance("1d");
    expect(await send({}, sender.testKey, { "idempotency-key": "k" })).not.toBe(test);
    const totals = await db()
      .select()
      .from(sendingTotals)
      .where(eq(sendingTotals.scope, sender.companyId));
    expect(totals).toMatchObject([{ scheduledRecipients: 1 }]);
    expect(await db().$count(emails, eq(emails.companyId, sender.companyId))).toBe(4);
  });

  test.each(["", "2", "2 h", "0h", "-1h", "1.5h", "2w", "31d", "99999999s", 7200, null])(
    "rejects %j",
    async (text) => {
      const answer = await advance(text);
      expect(answer.status).toBe(422);
    },
  );

  test("is for test keys", async () => {
    expect(await advance("1h", sender.key)).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  });
});
