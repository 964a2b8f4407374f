import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { emailEvents, emails, outbox, suppressions, webhookEvents } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { listRecipientOutcomes } from "#server/core/sending/emails/emails.ts";
import { calendarMonth, changeTotals, lockTotals } from "#server/core/sending/quotas/totals.ts";
import { WEBHOOKS_CHANNEL } from "#server/core/webhooks/events/publish-event.ts";
import { db, pool } from "#server/db/pool.ts";
import { aContext, aWebhook } from "#server/testing/factories.ts";
import {
  aQueuedEmail,
  aSender,
  historyOf,
  queuedEmails,
  type Sender,
} from "#server/testing/queued-emails.ts";

import { leaseDueEmails } from "./email-leases.ts";
import { recordOutcomes, type LeaseOutcome } from "./record-outcomes.ts";

afterEach(async () => {
  await db().delete(outbox);
});

const TLS = "opportunistic valid TLSv1.3 TLS_AES_256_GCM_SHA384";

type Result = Partial<LeaseOutcome> & { result: LeaseOutcome["result"] };

/** Leases everything and gives each recipient the outcome listed for its local part. */
async function outcomesFor(owner: string, results: Record<string, Result>) {
  const leased = await leaseDueEmails(db(), {
    owner,
    limit: 500,
    room: { light: 1e6, heavy: 1e6 },
  });
  return leased.flatMap((email) =>
    email.recipients.map(({ rowId, recipient, attempt }) => {
      const standard = { dsn: "2.0.0", message: "OK", reason: "", suppress: false };
      const result = results[recipient.split("@")[0]!];
      const outcome = { rowId, emailId: email.id, recipient, attempt, ...standard, ...result };
      return outcome as LeaseOutcome;
    }),
  );
}

const lastEventOf = async (id: string) =>
  (await db().select().from(emails).where(eq(emails.id, id)))[0]!.lastEvent;

test("settles final outcomes, schedules retries, and writes events for all", async () => {
  const sender = await aSender();
  const [id, other] = await queuedEmails(sender, [
    ["ok@a.example", "gone@a.example", "full@b.example", "odd@c.example"],
    ["ok@a.example"],
  ]);
  const owner = randomUUID();
  const outcomes = await outcomesFor(owner, {
    ok: { result: "delivered", message: "250 2.0.0 \u0000queued\u0007 as \ud800", tls: TLS },
    gone: { result: "bounced", dsn: "5.1.1", message: "550 no such user", suppress: true },
    full: { result: "delayed", dsn: "4.2.2", message: "452 mailbox full" },
    odd: { result: "failed", reason: "The message could not be composed" },
  });

  expect(await recordOutcomes(db(), owner, outcomes)).toHaveLength(5);

  expect(await historyOf(id!)).toEqual([
    "sent",
    "delivered ok@a.example",
    "bounced gone@a.example",
    "delivery_delayed full@b.example",
    "failed odd@c.example",
  ]);
  expect(await lastEventOf(id!)).toBe("failed");
  expect(await lastEventOf(other!)).toBe("delivered");
  const events = await db().select().from(emailEvents).where(eq(emailEvents.emailId, id!));
  expect(events[1]).toMatchObject({
    companyId: sender.companyId,
    dsn: "2.0.0",
    message: "250 2.0.0  queued  as \ufffd",
    reason: null,
    tls: TLS,
  });
  expect(events[4]).toMatchObject({
    dsn: null,
    tls: null,
    reason: "The message could not be composed",
  });
  const left = await db().select().from(outbox);
  expect(left).toMatchObject([
    { recipient: "full@b.example", attempt: 1, leaseOwner: null, leaseUntil: null },
  ]);
  const [{ wait }] = (await db().execute<{ wait: number }>(
    sql`select extract(epoch from next_attempt_at - clock_timestamp())::float8 as wait from outbox`,
  )) as unknown as [{ wait: number }];
  expect(wait).toBeGreaterThan(50);
  expect(wait).toBeLessThanOrEqual(66);
});

test("suppresses an address that bounced permanently once, with its email", async () => {
  const sender = await aSender();
  const ids = await queuedEmails(sender, [
    ["Gone@a.example"],
    ["gone@a.example"],
    ["policy@a.example"],
  ]);
  const owner = randomUUID();
  const bounced = { result: "bounced", dsn: "5.1.1", message: "550 no" } as const;
  const outcomes = await outcomesFor(owner, {
    Gone: { ...bounced, suppress: true },
    gone: { ...bounced, suppress: true },
    policy: { ...bounced, suppress: false },
  });
  await recordOutcomes(db(), owner, outcomes.slice(0, 1));
  await recordOutcomes(db(), owner, outcomes.slice(1));

  const listed = await db()
    .select()
    .from(suppressions)
    .where(eq(suppressions.companyId, sender.companyId));
  expect(listed).toMatchObject([{ email: "gone@a.example", origin: "bounce", sourceId: ids[0] }]);
});

test("records nothing for an owner whose lease expired", async () => {
  const id = await aQueuedEmail(await aSender(), "gone@a.example", "late@a.example");
  const [lost, current] = [randomUUID(), randomUUID()];
  const results: Record<string, Result> = {
    gone: { result: "bounced", suppress: true },
    late: { result: "delayed" },
  };
  const outcomes = await outcomesFor(lost, results);
  await db()
    .update(outbox)
    .set({ leaseUntil: sql`now() - interval '1 second'` });
  const again = await outcomesFor(current, {
    gone: { result: "delivered" },
    late: { result: "delivered" },
  });

  expect(await recordOutcomes(db(), lost, outcomes)).toEqual([]);
  expect(await historyOf(id)).toEqual(["sent"]);
  expect(await db().select().from(outbox)).toHaveLength(2);
  expect(await recordOutcomes(db(), current, again)).toHaveLength(2);
  expect(await recordOutcomes(db(), lost, outcomes)).toEqual([]);
  expect(await historyOf(id)).toEqual([
    "sent",
    "delivered gone@a.example",
    "delivered late@a.example",
  ]);
});

test("counts a batch written twice once", async () => {
  const id = await aQueuedEmail(await aSender(), "late@a.example", "ok@a.example");
  const owner = randomUUID();
  const outcomes = await outcomesFor(owner, {
    late: { result: "delayed" },
    ok: { result: "delivered" },
  });
  await Promise.all([recordOutcomes(db(), owner, outcomes), recordOutcomes(db(), owner, outcomes)]);
  expect(await historyOf(id)).toHaveLength(3);
  expect(await db().select().from(outbox)).toMatchObject([{ attempt: 1 }]);
});

test("records a temporary failure as a bounce after 48 hours, with the last reply and without suppression", async () => {
  const sender = await aSender();
  const id = await aQueuedEmail(sender, "old@a.example", "young@a.example");
  await db().execute(sql`update outbox set attempt = 14, created_at = clock_timestamp()
    - case recipient when 'old@a.example' then interval '48 hours' else interval '47 hours' end`);
  const owner = randomUUID();
  const delayed = {
    result: "delayed",
    dsn: "4.4.1",
    message: "421 later",
    suppress: true,
  } as const;
  await recordOutcomes(db(), owner, await outcomesFor(owner, { old: delayed, young: delayed }));

  expect(await historyOf(id)).toEqual([
    "sent",
    "bounced old@a.example",
    "delivery_delayed young@a.example",
  ]);
  const [bounce] = await db()
    .select()
    .from(emailEvents)
    .where(eq(emailEvents.recipient, "old@a.example"));
  expect(bounce).toMatchObject({ dsn: "4.4.1", message: "421 later" });
  expect(
    await db().select().from(suppressions).where(eq(suppressions.companyId, sender.companyId)),
  ).toEqual([]);
  // The other's last attempt is at the end of its 48 hours, not in six hours.
  const [row] = await db().execute<{ last: boolean }>(
    sql`select next_attempt_at = created_at + interval '48 hours' as last from outbox`,
  );
  expect(row!.last).toBe(true);
});

test("retries as long as the setting says", async () => {
  const id = await aQueuedEmail(await aSender(), "ann@a.example");
  await db().execute(sql`update outbox set created_at = clock_timestamp() - interval '2 hours'`);
  const owner = randomUUID();
  const delayed = {
    result: "delayed",
    dsn: "4.4.1",
    message: "421",
    suppress: false,
  } as const;
  await changeSetting(db(), "retry_hours_email", "2");
  await recordOutcomes(db(), owner, await outcomesFor(owner, { ann: delayed }));
  await changeSetting(db(), "retry_hours_email", "48");
  expect(await historyOf(id)).toEqual(["sent", "bounced ann@a.example"]);
});

test("concurrent writers keep the newest event as the last one", async () => {
  const recipients = Array.from(
    { length: 30 },
    (_, i) => `${i % 2 ? "ok" : "gone"}+${i}@a.example`,
  );
  const id = await aQueuedEmail(await aSender(), ...recipients);
  const owner = randomUUID();
  const outcomes = (await outcomesFor(owner, {})).map((outcome, i) => ({
    ...outcome,
    ...(i % 2 ? ({ result: "delivered" } as const) : ({ result: "bounced" } as const)),
  })) as LeaseOutcome[];
  await Promise.all(outcomes.map((outcome) => recordOutcomes(db(), owner, [outcome])));

  const history = await historyOf(id);
  expect(history).toHaveLength(31);
  expect(history.at(-1)).toMatch(await lastEventOf(id));
});

test("a recipient that waits for its destination keeps its attempts, and bounces when it expires", async () => {
  const [id] = await queuedEmails(await aSender(), [["ann@a.example", "old@a.example"]]);
  await db().execute(sql`
    update outbox set created_at = created_at - interval '49 hours' where recipient like 'old%'`);
  const owner = randomUUID();
  const retryAt = Date.now() + 600_000;
  const waits: Result = {
    result: "delayed",
    dsn: "4.7.28",
    message: "421 4.7.28 Slow down",
    retryAt,
    notAttempted: "paced",
  };
  await recordOutcomes(db(), owner, await outcomesFor(owner, { ann: waits, old: waits }));

  expect(await historyOf(id!)).toEqual(["sent", "bounced old@a.example"]);
  const [row, ...others] = await db().select().from(outbox);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ recipient: "ann@a.example", attempt: 0, leaseUntil: null });
  expect(Math.abs(Date.parse(row!.nextAttemptAt) - retryAt)).toBeLessThan(60_000);
});

test("wakes webhooks for the reaction to a test email", async () => {
  const id = await aQueuedEmail(await aSender(), "ann@a.example");
  await db().update(emails).set({ isTest: true }).where(eq(emails.id, id));
  const owner = randomUUID();
  const outcomes = await outcomesFor(owner, { ann: { result: "delivered", reaction: "opened" } });
  const onWake = vi.fn();
  const listening = await pool().sql.listen(WEBHOOKS_CHANNEL, onWake);
  await recordOutcomes(db(), owner, outcomes);
  await vi.waitFor(() => expect(onWake).toHaveBeenCalled());
  await listening.unlisten();
});

describe("an email that can't be sent", () => {
  const failed = {
    result: "failed",
    isWhole: true,
    reason: "The message could not be composed",
  } as const;
  beforeEach(async () => {
    await db().delete(emails);
  });
  const monthOf = async ({ companyId }: Sender) =>
    (await lockTotals(db(), [companyId])).companies.get(companyId)!.month;

  /** An email of a company that has accepted ten recipients this month. */
  async function anEmailTo(...recipients: string[]) {
    const sender = await aSender();
    await lockTotals(db(), [sender.companyId]);
    const month = { of: calendarMonth(new Date()), by: 10 };
    await changeTotals(db(), [{ companyId: sender.companyId, month }]);
    const id = await aQueuedEmail(sender, ...recipients);
    return { sender, id };
  }

  test("fails once, as a whole, and gives its quota back once", async () => {
    const { sender, id } = await anEmailTo("a@a.example", "b@a.example", "c@b.example");
    await aWebhook(sender.companyId, { events: ["email.failed"] });
    const owner = randomUUID();
    const outcomes = await outcomesFor(owner, { a: failed, b: failed, c: failed });
    // `b` is prepared on its own; `c` isn't leased.
    await db().execute(
      sql`update outbox set lease_owner = null, lease_until = null where recipient = 'c@b.example'`,
    );
    await recordOutcomes(db(), owner, outcomes.slice(0, 1));
    expect(await db().select().from(outbox)).toMatchObject([{ recipient: "b@a.example" }]);
    expect(await monthOf(sender)).toBe(10);
    expect(await auditLedger(db())).toMatchObject({ unaccounted: 0 });
    await recordOutcomes(db(), owner, outcomes);
    await recordOutcomes(db(), owner, outcomes);

    expect(await historyOf(id)).toEqual(["sent", "failed"]);
    expect(await db().$count(outbox)).toBe(0);
    expect(await monthOf(sender)).toBe(7);
    expect(await auditLedger(db())).toMatchObject({ unaccounted: 0 });
    const events = await db()
      .select()
      .from(webhookEvents)
      .where(eq(webhookEvents.companyId, sender.companyId));
    expect(events.map(({ payload }) => payload)).toMatchObject([
      { type: "email.failed", data: { to: ["a@a.example", "b@a.example", "c@b.example"] } },
    ]);
  });

  test("fails for the remaining recipients after some were dropped", async () => {
    const { id } = await anEmailTo("a@a.example", "b@a.example");
    const owner = randomUUID();
    const outcomes = await outcomesFor(owner, { a: { ...failed, isWhole: false }, b: failed });
    await recordOutcomes(db(), owner, outcomes.slice(0, 1));
    await recordOutcomes(db(), owner, outcomes.slice(1));
    expect(await historyOf(id)).toEqual(["sent", "failed a@a.example", "failed"]);
    expect(await auditLedger(db())).toMatchObject({ failed: 2, unaccounted: 0 });
  });

  test("keeps what was delivered, and its quota", async () => {
    const { sender, id } = await anEmailTo("a@a.example", "b@a.example");
    const owner = randomUUID();
    const later = { result: "delayed", dsn: "4.0.0", message: "451 Later" } as const;
    await recordOutcomes(
      ...([
        db(),
        owner,
        await outcomesFor(owner, { a: { result: "delivered" }, b: later }),
      ] as const),
    );
    await db()
      .update(outbox)
      .set({ nextAttemptAt: sql`clock_timestamp()` });
    await recordOutcomes(db(), owner, await outcomesFor(owner, { b: failed }));
    expect(await historyOf(id)).toEqual([
      "sent",
      "delivered a@a.example",
      "delivery_delayed b@a.example",
      "failed",
    ]);
    expect(await monthOf(sender)).toBe(10);
    const recipients = await listRecipientOutcomes(aContext(sender.companyId), id);
    expect(recipients.map(({ state, reason }) => [state, reason])).toEqual([
      ["delivered", null],
      ["failed", failed.reason],
    ]);
  });

  test("doesn't count if all its recipients were suppressed while it waited", async () => {
    const { sender } = await anEmailTo("a@a.example", "b@a.example");
    const owner = randomUUID();
    const suppressed = { result: "suppressed", reason: "Unsubscribed" } as const;
    const outcomes = await outcomesFor(owner, { a: suppressed, b: suppressed });
    await recordOutcomes(db(), owner, outcomes.slice(0, 1));
    expect(await monthOf(sender)).toBe(10);
    await recordOutcomes(db(), owner, outcomes.slice(1));
    expect(await monthOf(sender)).toBe(8);
  });
});
