import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { emails } from "#drizzle/schema/index.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import { aScheduledEmail, aSchedulingCompany, totalsOf } from "#server/testing/scheduled-emails.ts";

import { emailsApi } from "./api.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const notScheduled = {
  status: 422,
  body: {
    name: "validation_error",
    message: "Only a scheduled email that has not been sent can be updated",
  },
};

async function aWaitingEmail() {
  const sender = await aSchedulingCompany();
  return { ...sender, id: await aScheduledEmail(sender), key: sender.key.token };
}
const update = ({ id, key }: { id: string; key: string }, body: unknown) =>
  call(emailsApi.update, { key, params: { id }, body });

async function timesOf(id: string) {
  const [times] = await db()
    .select({ scheduledAt: emails.scheduledAt, dueAt: emails.dueAt })
    .from(emails)
    .where(eq(emails.id, id));
  return { scheduledAt: Date.parse(times!.scheduledAt!), dueAt: Date.parse(times!.dueAt!) };
}

describe("PATCH /emails/{id}", () => {
  test("reschedules the email and returns only object and id", async () => {
    const email = await aWaitingEmail();
    const at = inMs(2 * DAY_MS);

    const answered = await update(email, { scheduled_at: at });

    expect(answered).toMatchObject({ status: 200 });
    expect(answered.body).toEqual({ object: "email", id: email.id });
    const moment = Date.parse(at);
    expect(await timesOf(email.id)).toEqual({ scheduledAt: moment, dueAt: moment });
    expect(
      (await call(emailsApi.get, { key: email.key, params: { id: email.id } })).body,
    ).toMatchObject({
      last_event: "scheduled",
      scheduled_at: `${at.replace("T", " ").replace("Z", "")}000+00`,
    });
  });

  test("accepts scheduledAt too, even beside an empty scheduled_at", async () => {
    const at = inMs(5 * HOUR_MS);
    for (const body of [
      { scheduledAt: at },
      { scheduled_at: "", scheduledAt: at },
      { scheduled_at: null, scheduledAt: at },
    ]) {
      const email = await aWaitingEmail();
      expect(await update(email, body)).toMatchObject({ status: 200 });
      expect((await timesOf(email.id)).dueAt).toBe(Date.parse(at));
    }
  });

  test("accepts a phrase", async () => {
    const email = await aWaitingEmail();
    const before = Date.now();

    expect(await update(email, { scheduled_at: "in 2 days" })).toMatchObject({ status: 200 });

    const { dueAt } = await timesOf(email.id);
    expect(dueAt).toBeGreaterThanOrEqual(before + 2 * DAY_MS);
    expect(dueAt).toBeLessThanOrEqual(Date.now() + 2 * DAY_MS);
  });

  test.each([
    ["less than five seconds away", () => inMs(3_000)],
    ["up to a minute past", () => inMs(-50_000)],
  ])("sends immediately for a time %s", async (_, at) => {
    const email = await aWaitingEmail();

    expect(await update(email, { scheduled_at: at() })).toMatchObject({ status: 200 });
    await processDueEmails(db());

    expect(await historyOf(email.id)).toEqual(["scheduled", "sent"]);
  });

  test("adds no event and leaves the counts unchanged", async () => {
    const email = await aWaitingEmail();
    const before = await totalsOf(email.companyId);

    await update(email, { scheduled_at: inMs(HOUR_MS) });

    expect(await historyOf(email.id)).toEqual(["scheduled"]);
    expect(await totalsOf(email.companyId)).toEqual(before);
  });

  test("is sent at the new time, not at the old one", async () => {
    const email = await aWaitingEmail();
    await db()
      .update(emails)
      .set({ dueAt: sql`clock_timestamp() - interval '1 second'` })
      .where(eq(emails.id, email.id));
    await update(email, { scheduled_at: inMs(HOUR_MS) });

    await processDueEmails(db());

    expect(await historyOf(email.id)).toEqual(["scheduled"]);
  });

  test("reschedules an email that is due but not sent yet", async () => {
    const sender = await aSchedulingCompany();
    const id = await aScheduledEmail(sender, ["ann@a.example"], { due: -30 });

    expect(
      await update({ id, key: sender.key.token }, { scheduled_at: inMs(HOUR_MS) }),
    ).toMatchObject({ status: 200 });
  });

  test("finds an email by an uppercase id", async () => {
    const email = await aWaitingEmail();

    expect(
      await update({ ...email, id: email.id.toUpperCase() }, { scheduled_at: "in 1 hour" }),
    ).toMatchObject({ status: 200, body: { id: email.id } });
  });

  test.each([
    ["no scheduled_at", {}],
    ["null", { scheduled_at: null }],
    ["an empty text", { scheduled_at: "" }],
    ["an unreadable text", { scheduled_at: "tomorrow" }],
    ["a time without zone", { scheduled_at: "2031-01-01T00:00:00" }],
    ["a number", { scheduled_at: 1_900_000_000 }],
    ["a list for a body", []],
    ["more than a minute past", { scheduled_at: inMs(-120_000) }],
    ["more than 30 days ahead", { scheduled_at: inMs(30 * DAY_MS + HOUR_MS) }],
    ["more than 30 days ahead as a phrase", { scheduled_at: "in 31 days" }],
  ])("rejects %s with validation_error and keeps the time", async (_, body) => {
    const email = await aWaitingEmail();
    const before = await timesOf(email.id);

    expect(await update(email, body)).toMatchObject({
      status: 422,
      body: { statusCode: 422, name: "validation_error" },
    });
    expect(await timesOf(email.id)).toEqual(before);
  });

  test("rejects an email that was sent meanwhile", async () => {
    const sender = await aSchedulingCompany();
    const id = await aScheduledEmail(sender, ["ann@a.example"], { due: -1 });
    await processDueEmails(db());

    expect(
      await update({ id, key: sender.key.token }, { scheduled_at: "in 1 hour" }),
    ).toMatchObject(notScheduled);
  });

  test("rejects a canceled email", async () => {
    const email = await aWaitingEmail();
    await call(emailsApi.cancel, { key: email.key, params: { id: email.id } });

    expect(await update(email, { scheduled_at: "in 1 hour" })).toMatchObject(notScheduled);
    expect(await historyOf(email.id)).toEqual(["scheduled", "canceled"]);
  });

  test.each([
    ["an id of nothing", "01990000-0000-7000-8000-000000000000"],
    ["no id at all", "nonsense"],
  ])("returns not_found for %s", async (_, id) => {
    const { token: key } = await anApiKey((await aCompany()).id);

    expect(await update({ id, key }, { scheduled_at: "in 1 hour" })).toMatchObject({
      status: 404,
      body: { name: "not_found", message: "Email not found" },
    });
  });

  test("returns not_found for another company's email and leaves it unchanged", async () => {
    const [own, others] = [await aWaitingEmail(), await aWaitingEmail()];
    const before = await timesOf(others.id);

    expect(
      await update({ id: others.id, key: own.key }, { scheduled_at: "in 2 hours" }),
    ).toMatchObject({ status: 404, body: { name: "not_found" } });
    expect(await timesOf(others.id)).toEqual(before);
  });

  test("rejects sending keys, and creators without the API controls privilege", async () => {
    const { companyId, id } = await aWaitingEmail();
    const sending = await anApiKey(companyId, { permission: "sending_access" });
    const other = await anApiKey(companyId, { privileges: [] });

    for (const [key, status, name] of [
      [sending.token, 401, "restricted_api_key"],
      [other.token, 403, "invalid_permission"],
    ] as const)
      expect(await update({ id, key }, { scheduled_at: "in 1 hour" })).toMatchObject({
        status,
        body: { name },
      });
  });
});
