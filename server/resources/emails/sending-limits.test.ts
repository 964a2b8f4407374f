import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { emails, sendingSeconds, sendingTotals } from "#drizzle/schema/index.ts";
import { PLATFORM } from "#server/core/sending/quotas/totals.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { db } from "#server/db/pool.ts";
import {
  anApiSender,
  emailsOf,
  historyOf,
  withoutRates,
  withSettings,
} from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";
import { aSuppression } from "#server/testing/factories.ts";
import { waitOutMidnight } from "#server/testing/utc-day.ts";

import { emailsApi } from "./api.ts";

beforeEach(() => waitOutMidnight());

beforeEach(async () => {
  await withoutRates();
  await withSettings({
    hourly_recipients_company: 450,
    hourly_recipients_platform: 1_000_000,
    scheduled_backlog: 20_000,
  });
});

const HOURLY = {
  statusCode: 429,
  name: "rate_limit_exceeded",
  message: "Hourly sending limit reached",
};

const totalsOf = async (companyId: string) => {
  const [totals] = await db()
    .select()
    .from(sendingTotals)
    .where(eq(sendingTotals.scope, companyId));
  return totals!;
};

/** Backdates what a scope has sent so far. */
const moveBack = (scope: string, seconds: number) =>
  db()
    .update(sendingSeconds)
    .set({ second: sql`second - ${seconds}` })
    .where(eq(sendingSeconds.scope, scope));

describe("the hourly limit", () => {
  test("counts each address in to, cc and bcc, and rejects what exceeds it, without retry-after", async () => {
    const { key, email, companyId } = await anApiSender();
    await withSettings({ hourly_recipients_company: 5 });
    const four = {
      ...email,
      to: ["a@x.example", "b@x.example"],
      cc: "c@x.example",
      bcc: "d@x.example",
    };
    expect((await call(emailsApi.send, { key, body: four })).status).toBe(200);

    const refused = await call(emailsApi.send, { key, body: { ...email, cc: "c@x.example" } });
    expect(refused).toMatchObject({ status: 429, body: HOURLY });
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(refused.headers.get("ratelimit-limit")).not.toBeNull();
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
    expect(await emailsOf(companyId)).toBe(2);
  });

  test("is 450 recipients by default", async () => {
    const { key, email } = await anApiSender();
    const fifty = Array.from({ length: 50 }, (_, index) => `r${index}@x.example`);
    const batch = Array.from({ length: 9 }, () => ({ ...email, to: fifty }));
    expect((await call(emailsApi.sendBatch, { key, body: batch })).status).toBe(200);
    expect(await call(emailsApi.send, { key, body: email })).toMatchObject({
      status: 429,
      body: HOURLY,
    });
  });

  test("is never exceeded by twenty concurrent requests", async () => {
    const { key, email, companyId } = await anApiSender();
    await withSettings({ hourly_recipients_company: 7 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call(emailsApi.send, { key, body: email })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(13);
    expect(await emailsOf(companyId)).toBe(7);
  });

  test("is a rolling window of 60 minutes", async () => {
    const { key, email, companyId } = await anApiSender();
    await withSettings({ hourly_recipients_company: 2 });
    await call(emailsApi.send, { key, body: email });
    await moveBack(companyId, 3_590);
    await call(emailsApi.send, { key, body: email });
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(429);
    await moveBack(companyId, 15);
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(429);
    expect((await totalsOf(companyId)).hourRecipients).toBe(2);
  });

  test("of the platform counts the emails of all companies", async () => {
    const [one, two] = [await anApiSender(), await anApiSender()];
    await db().delete(sendingSeconds);
    await db().update(sendingTotals).set({ hourRecipients: 0 });
    await withSettings({ hourly_recipients_platform: 2 });
    for (const { key, email } of [one, two])
      expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
    expect(await call(emailsApi.send, { key: one.key, body: one.email })).toMatchObject({
      status: 429,
      body: HOURLY,
    });
    expect((await totalsOf(PLATFORM)).hourRecipients).toBe(2);
  });

  test("of one company is not affected by another company's emails", async () => {
    const [one, two] = [await anApiSender(), await anApiSender()];
    await withSettings({ hourly_recipients_company: 1 });
    for (const { key, email } of [one, two])
      expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
  });

  test("does not count scheduled emails before they are due, or emails whose recipients are all suppressed", async () => {
    const { key, email, companyId } = await anApiSender();
    await withSettings({ hourly_recipients_company: 1 });
    await aSuppression(companyId, { email: "eve@x.example" });
    await call(emailsApi.send, { key, body: { ...email, scheduled_at: "in 1 hour" } });
    await call(emailsApi.send, { key, body: { ...email, to: "eve@x.example" } });
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
  });

  test("accepts a batch as a whole or not at all", async () => {
    const { key, email, companyId } = await anApiSender();
    await withSettings({ hourly_recipients_company: 2 });
    for (const validation of ["strict", "permissive"])
      expect(
        await call(emailsApi.sendBatch, {
          key,
          headers: { "x-batch-validation": validation },
          body: [email, email, email],
        }),
      ).toMatchObject({ status: 429, body: HOURLY });
    expect(await emailsOf(companyId)).toBe(0);
    expect((await call(emailsApi.sendBatch, { key, body: [email, email] })).status).toBe(200);
  });
});

describe("the monthly allowance", () => {
  const USED_UP = { statusCode: 429, name: "monthly_quota_exceeded" };

  test("counts accepted emails, sent and scheduled alike, then rejects more, without retry-after", async () => {
    const { key, email, companyId } = await anApiSender({ monthlyAllowance: 3 });
    await call(emailsApi.send, { key, body: email });
    await call(emailsApi.send, {
      key,
      body: { ...email, cc: "c@x.example", scheduled_at: "in 1 hour" },
    });
    const refused = await call(emailsApi.send, { key, body: email });
    expect(refused).toMatchObject({ status: 429, body: USED_UP });
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(await emailsOf(companyId)).toBe(2);
  });

  test("is unlimited if the plan has no limit", async () => {
    const { key, email } = await anApiSender();
    await call(emailsApi.send, { key, body: email });
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
  });

  test("applies to scheduled emails too", async () => {
    const { key, email } = await anApiSender({ monthlyAllowance: 0 });
    expect(
      await call(emailsApi.send, { key, body: { ...email, scheduled_at: "in 1 hour" } }),
    ).toMatchObject({ status: 429, body: USED_UP });
  });

  test("rejects a batch that exceeds it as a whole", async () => {
    const { key, email, companyId } = await anApiSender({ monthlyAllowance: 1 });
    expect(await call(emailsApi.sendBatch, { key, body: [email, email] })).toMatchObject({
      status: 429,
      body: USED_UP,
    });
    expect(await emailsOf(companyId)).toBe(0);
  });

  test("does not count an email whose recipients are all suppressed", async () => {
    const { key, email, companyId } = await anApiSender({ monthlyAllowance: 1 });
    await aSuppression(companyId, { email: "eve@x.example" });
    await call(emailsApi.send, { key, body: { ...email, to: "eve@x.example" } });
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
  });

  test("resets at the start of each calendar month in UTC", async () => {
    const { key, email, companyId } = await anApiSender({ monthlyAllowance: 1 });
    await call(emailsApi.send, { key, body: email });
    await db()
      .update(sendingTotals)
      .set({ month: "2020-01-01" })
      .where(eq(sendingTotals.scope, companyId));
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
    expect((await totalsOf(companyId)).monthRecipients).toBe(1);
  });
});

describe("the scheduled backlog", () => {
  test("counts waiting recipients, and rejects what exceeds it", async () => {
    const { key, email, companyId } = await anApiSender();
    await withSettings({ scheduled_backlog: 2 });
    const later = { ...email, scheduled_at: "in 1 hour" };
    expect(
      (await call(emailsApi.send, { key, body: { ...later, cc: "c@x.example" } })).status,
    ).toBe(200);
    const refused = await call(emailsApi.send, { key, body: later });
    expect(refused).toMatchObject({ status: 429, body: { name: "rate_limit_exceeded" } });
    expect(refused.headers.get("retry-after")).toBeNull();
    expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
    expect(await emailsOf(companyId)).toBe(2);
  });
});

describe("a scheduled email", () => {
  test("is accepted with its event and time, without a message id", async () => {
    const { key, email } = await anApiSender();
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await call(emailsApi.send, { key, body: { ...email, scheduled_at: at } });
    const { id } = body as { id: string };
    const [stored] = await db().select().from(emails).where(eq(emails.id, id));
    expect(new Date(stored!.scheduledAt!).toISOString()).toBe(at);
    expect(stored).toMatchObject({
      lastEvent: "scheduled",
      messageId: null,
      sentAt: null,
      dueAt: stored!.scheduledAt,
    });
    expect((await historyOf(id)).map(({ type }) => type)).toEqual(["scheduled"]);
  });

  test("whose recipients are all suppressed ends as suppressed immediately", async () => {
    const { key, email, companyId } = await anApiSender();
    await aSuppression(companyId, { email: "eve@x.example" });
    const { body } = await call(emailsApi.send, {
      key,
      body: { ...email, to: "eve@x.example", scheduled_at: "in 1 hour" },
    });
    const { id } = body as { id: string };
    expect((await historyOf(id)).map(({ type }) => type)).toEqual(["suppressed"]);
  });
});

test("the ledger accounts for every recipient of these tests", async () => {
  expect(await auditLedger(db())).toMatchObject({ unaccounted: 0 });
});
