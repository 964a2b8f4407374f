import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { auditEntries, emailEvents, emails, outbox } from "#drizzle/schema/index.ts";
import { eventBits } from "#server/core/sending/events/email-events.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";
import { historyOf, queuedEmails } from "#server/testing/queued-emails.ts";
import {
  aScheduledEmail,
  aSchedulingCompany,
  scheduledEmails,
  totalsOf,
} from "#server/testing/scheduled-emails.ts";
import { waitOutMidnight } from "#server/testing/utc-day.ts";

import { emailsApi } from "./api.ts";

beforeEach(() => waitOutMidnight());

const notScheduled = {
  status: 422,
  body: {
    name: "validation_error",
    message: "Only a scheduled email that has not been sent can be canceled",
  },
};

async function aWaitingEmail(to = ["ann@a.example", "bob@b.example"]) {
  const sender = await aSchedulingCompany();
  return { ...sender, sender, id: await aScheduledEmail(sender, to), key: sender.key.token };
}
const cancel = ({ id, key }: { id: string; key: string }) =>
  call(emailsApi.cancel, { key, params: { id } });

describe("POST /emails/{id}/cancel", () => {
  test("cancels a scheduled email and returns only object and id", async () => {
    const email = await aWaitingEmail();

    const answered = await cancel(email);

    expect(answered).toMatchObject({ status: 200 });
    expect(answered.body).toEqual({ object: "email", id: email.id });
    expect(
      (await call(emailsApi.get, { key: email.key, params: { id: email.id } })).body,
    ).toMatchObject({
      last_event: "canceled",
      message_id: null,
      scheduled_at: expect.any(String) as string,
    });
    const [stored] = await db().select().from(emails).where(eq(emails.id, email.id));
    expect(stored).toMatchObject({
      dueAt: null,
      eventTypes: eventBits(["scheduled", "canceled"]),
    });
  });

  test("records the admin or key that reschedules or cancels in the audit log", async () => {
    const email = await aWaitingEmail();
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await call(emailsApi.update, {
      key: email.key,
      params: { id: email.id },
      body: { scheduled_at: at },
    });
    await cancel(email);
    const { actorKind, action, details } = auditEntries;
    const entries = await db()
      .select({ actorKind, action, details })
      .from(auditEntries)
      .where(sql`details ->> 'email' = ${email.id}`)
      .orderBy(auditEntries.createdAt);
    expect(entries).toEqual([
      { actorKind: "api_key", action: "email.rescheduled", details: { email: email.id, to: at } },
      { actorKind: "api_key", action: "email.canceled", details: { email: email.id } },
    ]);
  });

  test("records the cancellation and its reason in the email's history", async () => {
    const email = await aWaitingEmail();

    await cancel(email);

    expect(await historyOf(email.id)).toEqual(["scheduled", "canceled"]);
    const [event] = await db()
      .select()
      .from(emailEvents)
      .where(eq(emailEvents.emailId, email.id))
      .orderBy(sql`id desc`);
    expect(event).toMatchObject({ recipient: null, reason: "Canceled on request" });
  });

  test("returns its recipients to the monthly allowance and the scheduled backlog", async () => {
    const email = await aWaitingEmail();
    await scheduledEmails(email.sender, [["cay@c.example"]]);
    expect(await totalsOf(email.companyId)).toEqual({ hour: 0, month: 3, scheduled: 3 });

    await cancel(email);

    expect(await totalsOf(email.companyId)).toEqual({ hour: 0, month: 1, scheduled: 1 });
  });

  test("is not sent afterwards", async () => {
    const email = await aWaitingEmail();
    await db()
      .update(emails)
      .set({ dueAt: sql`clock_timestamp()` })
      .where(eq(emails.id, email.id));
    await cancel(email);

    await processDueEmails(db());

    expect(await db().$count(outbox, eq(outbox.emailId, email.id))).toBe(0);
    expect(await historyOf(email.id)).toEqual(["scheduled", "canceled"]);
    expect(await auditLedger(db())).toMatchObject({ unaccounted: 0 });
  });

  test.each([
    ["an empty body of JSON type", { headers: { "content-type": "application/json" } }],
    ["a body that is no JSON", { rawBody: "{nonsense" }],
    ["a body of an object", { body: {} }],
  ])("accepts %s", async (_, sent) => {
    const { key, id } = await aWaitingEmail();

    expect(await call(emailsApi.cancel, { key, params: { id }, ...sent })).toMatchObject({
      status: 200,
    });
  });

  test("cancels once; a second request fails because the email is no longer scheduled", async () => {
    const email = await aWaitingEmail();

    expect(await cancel(email)).toMatchObject({ status: 200 });
    expect(await cancel(email)).toMatchObject(notScheduled);
  });

  test("cancels once under concurrent requests", async () => {
    const email = await aWaitingEmail();

    const answers = await Promise.all(Array.from({ length: 9 }, () => cancel(email)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(8);
    expect(await historyOf(email.id)).toEqual(["scheduled", "canceled"]);
    expect(await totalsOf(email.companyId)).toEqual({ hour: 0, month: 0, scheduled: 0 });
  });

  test("rejects an email that was sent immediately, and one that is due", async () => {
    const sender = await aSchedulingCompany();
    const { companyId, key, domain } = sender;
    const [sent] = await queuedEmails({ id: domain.id, name: domain.name, companyId }, [["a@b.c"]]);
    const due = await aScheduledEmail(sender, ["ann@a.example"], { due: -1 });
    await processDueEmails(db());

    for (const id of [sent!, due])
      expect(await cancel({ id, key: key.token })).toMatchObject(notScheduled);
    expect(await historyOf(due)).toEqual(["scheduled", "sent"]);
  });

  test.each([
    ["an id of nothing", "01990000-0000-7000-8000-000000000000"],
    ["no id at all", "nonsense"],
  ])("returns not_found for %s", async (_, id) => {
    const { token: key } = await anApiKey((await aCompany()).id);

    expect(await cancel({ id, key })).toMatchObject({
      status: 404,
      body: { name: "not_found", message: "Email not found" },
    });
  });

  test("returns not_found for another company's email and leaves it scheduled", async () => {
    const [own, others] = [await aWaitingEmail(), await aWaitingEmail()];

    expect(await cancel({ id: others.id, key: own.key })).toMatchObject({
      status: 404,
      body: { name: "not_found" },
    });
    expect(await historyOf(others.id)).toEqual(["scheduled"]);
    expect(await totalsOf(others.companyId)).toMatchObject({ scheduled: 2 });
  });

  test("rejects sending keys, and creators without the API controls privilege", async () => {
    const { companyId, id } = await aWaitingEmail();
    const sending = await anApiKey(companyId, { permission: "sending_access" });
    const other = await anApiKey(companyId, { privileges: [] });

    for (const [key, status, name] of [
      [sending.token, 401, "restricted_api_key"],
      [other.token, 403, "invalid_permission"],
    ] as const)
      expect(await cancel({ id, key })).toMatchObject({ status, body: { name } });
    expect(await historyOf(id)).toEqual(["scheduled"]);
  });
});
