import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { emails, outbox, sendingSeconds, sendingTotals } from "#drizzle/schema/index.ts";
import { revokeApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { cancelEmail, rescheduleEmail } from "#server/core/sending/emails/scheduled-emails.ts";
import { lockTotals } from "#server/core/sending/quotas/totals.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { aContext } from "#server/testing/factories.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import {
  aSchedulingCompany,
  scheduledEmails,
  type Scheduling,
  totalsOf,
} from "#server/testing/scheduled-emails.ts";

import { processDueEmails } from "./due-emails.ts";

const COUNT = 60;
const people = Array.from({ length: COUNT }, (_, i) => [`r${i}@a.example`]);

let sender: Scheduling;
let ids: string[];
beforeEach(async () => {
  await db().delete(emails);
  await db().delete(sendingTotals);
  await db().delete(sendingSeconds);
  sender = await aSchedulingCompany();
  ids = await scheduledEmails(sender, people, { due: -1 });
});

/** Whether it succeeded or was rejected because the email is no longer scheduled. */
async function happened(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.reason === "invalid") return false;
    throw error;
  }
}
const isQueued = async (id: string) => (await db().$count(outbox, eq(outbox.emailId, id))) > 0;

/**
 * Runs `during` while a batch of due emails is being processed: it has locked their rows, and done nothing
 * else.
 */
async function inMidBatch<T>(during: () => T): Promise<{ during: T }> {
  const { settling, ...result } = await db().transaction(async (tx) => {
    await lockTotals(tx, [sender.companyId]);
    const settling = processDueEmails(db());
    await untilBlocked(1);
    const result = { during: during() };
    await untilBlocked(6);
    return { settling, ...result };
  });
  await settling;
  return result;
}

test("a cancellation during the batch waits for it and is rejected", async () => {
  const ctx = aContext(sender.companyId);
  const { during } = await inMidBatch(() =>
    ids.slice(0, 5).map((id) => happened(cancelEmail(ctx, id))),
  );

  expect(await Promise.all(during)).toEqual([false, false, false, false, false]);
  for (const id of ids) expect(await historyOf(id)).toEqual(["scheduled", "sent"]);
  expect(await totalsOf(sender.companyId)).toEqual({ hour: COUNT, month: COUNT, scheduled: 0 });
});

test("rescheduling during the batch waits for it and is rejected", async () => {
  const ctx = aContext(sender.companyId);
  const later = new Date(Date.now() + 3_600_000);
  const { during } = await inMidBatch(() =>
    ids.slice(0, 5).map((id) => happened(rescheduleEmail(ctx, id, later))),
  );

  expect(await Promise.all(during)).toEqual([false, false, false, false, false]);
  for (const id of ids) expect(await historyOf(id)).toEqual(["scheduled", "sent"]);
});

test("skips locked emails and does not delay others", async () => {
  const [canceled = "", held = ""] = ids;
  const { canceling, settling } = await db().transaction(async (tx) => {
    await tx.select().from(emails).where(eq(emails.id, held)).for("update");
    await lockTotals(tx, [sender.companyId]);
    const canceling = happened(cancelEmail(aContext(sender.companyId), canceled));
    await untilBlocked(1);
    const settling = processDueEmails(db());
    await untilBlocked(2);
    return { canceling, settling };
  });

  expect(await canceling).toBe(true);
  expect(await settling).toMatchObject({ sent: COUNT - 2 });
  expect(await historyOf(canceled)).toEqual(["scheduled", "canceled"]);
  expect(await processDueEmails(db())).toMatchObject({ sent: 1 });
});

test("concurrent cancellations cancel once", async () => {
  const [id = ""] = ids;
  const ctx = aContext(sender.companyId);
  const { canceling } = await db().transaction(async (tx) => {
    await lockTotals(tx, [sender.companyId]);
    const canceling = Array.from({ length: 6 }, () => happened(cancelEmail(ctx, id)));
    await untilBlocked(6);
    return { canceling };
  });

  expect((await Promise.all(canceling)).filter(Boolean)).toHaveLength(1);
  expect(await historyOf(id)).toEqual(["scheduled", "canceled"]);
  expect(await totalsOf(sender.companyId)).toMatchObject({ scheduled: COUNT - 1 });
});

test("a cancellation when the email is due has one outcome, and the response reports it", async () => {
  const ctx = aContext(sender.companyId);
  const settling = [processDueEmails(db()), processDueEmails(db())];
  const canceled = await Promise.all(ids.map((id) => happened(cancelEmail(ctx, id))));
  await Promise.all(settling);
  await processDueEmails(db());

  for (const [i, id] of ids.entries()) {
    expect(await historyOf(id)).toEqual(["scheduled", canceled[i] ? "canceled" : "sent"]);
    expect(await isQueued(id)).toBe(!canceled[i]);
  }
  const sent = canceled.filter((isCanceled) => !isCanceled).length;
  expect(await totalsOf(sender.companyId)).toEqual({ hour: sent, month: sent, scheduled: 0 });
  expect(await auditLedger(db())).toMatchObject({ queued: sent, unaccounted: 0 });
});

test("an email rescheduled when it is due is sent now or later, as the response says", async () => {
  const ctx = aContext(sender.companyId);
  const later = new Date(Date.now() + 3_600_000);
  const settling = [processDueEmails(db()), processDueEmails(db())];
  const moved = await Promise.all(ids.map((id) => happened(rescheduleEmail(ctx, id, later))));
  await Promise.all(settling);
  await processDueEmails(db());

  for (const [i, id] of ids.entries()) expect(await isQueued(id)).toBe(!moved[i]);
  const waiting = moved.filter(Boolean).length;
  expect(await totalsOf(sender.companyId)).toMatchObject({ scheduled: waiting });
  expect(await auditLedger(db())).toMatchObject({ scheduled: waiting, unaccounted: 0 });
});

test("a key revoked when its emails are due leaves each email sent or canceled", async () => {
  const settling = [processDueEmails(db()), processDueEmails(db())];
  await revokeApiKey(aContext(sender.companyId), sender.key.id);
  await Promise.all(settling);
  await processDueEmails(db());

  const ledger = await auditLedger(db());
  expect(ledger).toMatchObject({ scheduled: 0, unaccounted: 0 });
  expect(ledger.queued + ledger.canceled).toBe(COUNT);
  expect(await totalsOf(sender.companyId)).toMatchObject({
    month: ledger.queued,
    scheduled: 0,
  });
});
