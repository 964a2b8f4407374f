import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { emails, sendingTotals } from "#drizzle/schema/index.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import { aSchedulingCompany, type Scheduling, totalsOf } from "#server/testing/scheduled-emails.ts";

import { emailsApi } from "./api.ts";

let sender: Scheduling;
beforeEach(async () => {
  await db().delete(emails);
  await db().delete(sendingTotals);
  sender = await aSchedulingCompany();
});

const fields = () => ({
  from: `Post House <post@${sender.domain.name}>`,
  to: ["ann@a.example", "bob@b.example"],
  subject: "Later",
  text: "Hello",
  scheduled_at: "in 1 hour",
});
async function schedule(): Promise<{ key: string; params: { id: string } }> {
  const key = sender.key.token;
  const { status, body } = await call(emailsApi.send, { key, body: fields() });
  expect(status).toBe(200);
  return { key, params: body as { id: string } };
}
const makeDue = () =>
  db()
    .update(emails)
    .set({ dueAt: sql`statement_timestamp()` });

test("an email scheduled through the API waits, is sent when due, and is returned as sent", async () => {
  const email = await schedule();
  expect(await processDueEmails(db())).toMatchObject({ sent: 0 });
  expect((await call(emailsApi.get, email)).body).toMatchObject({
    last_event: "scheduled",
    message_id: null,
    scheduled_at: expect.any(String) as string,
  });
  expect(await totalsOf(sender.companyId)).toEqual({ hour: 0, month: 2, scheduled: 2 });

  await makeDue();
  await processDueEmails(db());

  expect((await call(emailsApi.get, email)).body).toMatchObject({
    last_event: "sent",
    message_id: `<${email.params.id}@${sender.domain.name}>`,
    scheduled_at: expect.any(String) as string,
  });
  expect(await totalsOf(sender.companyId)).toEqual({ hour: 2, month: 2, scheduled: 0 });
  expect(await auditLedger(db())).toMatchObject({ queued: 2, unaccounted: 0 });
});

test("scheduling, rescheduling and canceling leave the totals unchanged", async () => {
  const email = await schedule();
  expect(
    await call(emailsApi.update, { ...email, body: { scheduledAt: "in 2 days" } }),
  ).toMatchObject({
    status: 200,
  });
  expect(await call(emailsApi.cancel, email)).toMatchObject({ status: 200 });

  expect(await historyOf(email.params.id)).toEqual(["scheduled", "canceled"]);
  expect(await totalsOf(sender.companyId)).toEqual({ hour: 0, month: 0, scheduled: 0 });
  expect(await auditLedger(db())).toMatchObject({ canceled: 2, unaccounted: 0 });
});

test("every email of a batch is sent at its own time", async () => {
  const now = { ...fields(), scheduled_at: undefined };
  const { status, body } = await call(emailsApi.sendBatch, {
    key: sender.key.token,
    body: [fields(), now, { ...fields(), scheduled_at: "in 3 days" }],
  });
  expect(status).toBe(200);
  const [first, second, third] = (body as { data: { id: string }[] }).data;
  await db()
    .update(emails)
    .set({ dueAt: sql`statement_timestamp()` })
    .where(eq(emails.id, first!.id));

  await processDueEmails(db());

  expect(await historyOf(first!.id)).toEqual(["scheduled", "sent"]);
  expect(await historyOf(second!.id)).toEqual(["sent"]);
  expect(await historyOf(third!.id)).toEqual(["scheduled"]);
  expect(await totalsOf(sender.companyId)).toEqual({ hour: 4, month: 6, scheduled: 2 });
});
