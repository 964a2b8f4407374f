import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";

import {
  auditEntries,
  emailEvents,
  emails,
  messageRecipients,
  messages,
  outbox,
  queueHolds,
  webhookEvents,
} from "#drizzle/schema/index.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { restoreCompany, suspendCompany } from "#server/core/operations/companies/companies.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import {
  clearOverviewCache,
  dropWaiting,
  getQueueOverview,
  retryNow,
} from "#server/core/operations/queue/queue.ts";
import {
  hold,
  holdRestored,
  release,
  releaseRestored,
} from "#server/core/operations/queue/holds.ts";
import { checkRestoredMail } from "#server/core/operations/system-checks/check-delivery.ts";
import { addSuppressions } from "#server/core/sending/suppressions/suppressions.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aContext, aDomain, aMailbox, aWebhook } from "#server/testing/factories.ts";
import { acceptAll, aScriptedCarrier, messagePumps } from "#server/testing/message-pump.ts";
import { anOperator } from "#server/testing/operators.ts";
import { aSchedulingCompany, scheduledEmails } from "#server/testing/scheduled-emails.ts";
import { aQueuedEmail, aSender, historyOf, queuedEmails } from "#server/testing/queued-emails.ts";

const pumps = messagePumps();
const operator = anOperator();
const until = (condition: () => Promise<void> | void) => vi.waitFor(condition, { timeout: 30_000 });

beforeEach(async () => {
  for (const table of [emails, messages, queueHolds]) await db().delete(table);
});

/** A worker whose carrier accepts everything. */
async function aWorker() {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const { emails: one, messages: other } = await pumps.start({ carrier, pollMs: 50 });
  return {
    reached: () => deliveries.flatMap(({ recipients }) => recipients).toSorted(),
    stop: () => Promise.all([one.stop(), other.stop()]),
  };
}
const parkedIn = (queue: typeof outbox | typeof messageRecipients) =>
  db().$count(queue, sql`next_attempt_at = 'infinity'`);
const parkedRows = async () => (await parkedIn(outbox)) + (await parkedIn(messageRecipients));

test("mail to a destination on hold is not attempted until released; other mail is sent", async () => {
  const sender = await aSender();
  await hold(operator, {
    kind: "destination",
    subject: "Held.Test",
    reason: "They ask us to wait",
  });
  const { reached } = await aWorker();
  const id = await aQueuedEmail(sender, "ann@held.test", "bob@open.test");
  await anAcceptedMessage({ companyId: sender.companyId, to: ["cay@held.test", "dan@open.test"] });

  await until(() => expect(reached()).toEqual(["bob@open.test", "dan@open.test"]));
  await until(async () => expect(await parkedRows()).toBe(2));

  await release(operator, { kind: "destination", subject: "held.test" });
  await until(() => expect(reached()).toHaveLength(4));
  await until(async () => expect(await historyOf(id)).toContain("delivered ann@held.test"));
});

test("a hold on a company covers all its mail, old and new, and no other company's", async () => {
  const [held, other] = [await aSender(), await aSender()];
  const { reached } = await aWorker();
  await hold(operator, { kind: "company", subject: held.companyId, reason: "" });
  // Each pump applies the hold within a second; until then mail is still sent.
  await until(async () => {
    await aQueuedEmail(held, "early@a.test");
    await anAcceptedMessage({ companyId: held.companyId, to: ["early@a.test"] });
    expect(await parkedIn(outbox)).toBeGreaterThan(0);
    expect(await parkedIn(messageRecipients)).toBeGreaterThan(0);
  });
  const parked = await parkedRows();
  await aQueuedEmail(held, "ann@a.test");
  await anAcceptedMessage({ companyId: held.companyId, to: ["bob@a.test"] });
  await aQueuedEmail(other, "cay@a.test");

  await until(async () => expect(await parkedRows()).toBeGreaterThanOrEqual(parked + 2));
  await until(() =>
    expect(reached().filter((address) => address !== "early@a.test")).toEqual(["cay@a.test"]),
  );
});

test("mail to recipients who were suppressed while it waited ends as suppressed", async () => {
  const sender = await aSender();
  const ids = await queuedEmails(
    sender,
    ["Held", "retried", "new", "other"].map((name) => [`${name}@a.test`]),
  );
  const names = ["held", "retried", "new"].map((name) => `${name}@a.test`);
  await addSuppressions(aContext(sender.companyId), names);
  await db()
    .update(emails)
    .set({ sentAt: sql`clock_timestamp() - interval '2 minutes'` })
    .where(eq(emails.id, ids[0]!));
  await db().update(outbox).set({ attempt: 1 }).where(eq(outbox.emailId, ids[1]!));

  const { reached } = await aWorker();

  // One that was accepted moments ago isn't checked again.
  await until(() => expect(reached()).toEqual(["new@a.test", "other@a.test"]));
  await until(async () => expect(await db().$count(outbox)).toBe(0));
  expect(await historyOf(ids[0]!)).toEqual(["sent", "suppressed Held@a.test"]);
  expect(await historyOf(ids[1]!)).toEqual(["sent", "suppressed retried@a.test"]);
  expect((await auditLedger(db())).unaccounted).toBe(0);
});

test("after a restore, queued and scheduled mail waits until it is released", async () => {
  const [sender, idle] = [await aSender(), await aSender()];
  await aQueuedEmail(sender, "queued@a.test");
  // One was sent after the restore point; the other was canceled.
  const scheduling = await aSchedulingCompany();
  await scheduledEmails(scheduling, [["first@a.test"], ["second@a.test"]], { due: 0 });

  expect(await holdRestored(db(), "2026-11-20T12:00:00Z")).toHaveLength(2);

  expect(await checkRestoredMail(db())).toMatchObject({
    state: "warning",
    found: expect.stringMatching(/since a restore: .*: 0 queued, 2 scheduled/) as string,
  });
  const { reached } = await aWorker();
  await processDueEmails(db());
  await aQueuedEmail(idle, "new@a.test");
  await until(() => expect(reached()).toEqual(["new@a.test"]));
  await until(async () => expect(await parkedIn(outbox)).toBe(3));

  expect(await releaseRestored(db())).toHaveLength(2);
  await until(() => expect(reached()).toHaveLength(4));
  expect(await checkRestoredMail(db())).toMatchObject({ state: "ok" });
});

test("thousands of messages on hold don't delay other mail", async () => {
  const [held, other] = [await aSender(), await aSender()];
  await queuedEmails(
    held,
    Array.from({ length: 3_000 }, (_, i) => [`${i}@a.test`]),
    { due: sql`clock_timestamp() - interval '1 hour'` },
  );
  await aQueuedEmail(other, "cay@a.test");
  await hold(operator, { kind: "company", subject: held.companyId, reason: "" });
  // Polling alone would take ten minutes, so this shows that lease queries follow each other at once.
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  await pumps.start({ carrier, pollMs: 100_000 });

  await until(() => expect(deliveries).toHaveLength(1));
  expect(deliveries[0]!.recipients).toEqual(["cay@a.test"]);
  await until(async () => expect(await parkedRows()).toBe(3_000));
});

test("a suspended company's mail is on hold until the company is restored, and can be dropped", async () => {
  const [sender, other] = [await aSender(), await aSender()];
  const [ctx, otherCtx] = [aContext(sender.companyId), aContext(other.companyId)];
  await Promise.all([suspendCompany(ctx), suspendCompany(otherCtx)]);
  await aQueuedEmail(sender, "ann@a.test");
  await anAcceptedMessage({ companyId: sender.companyId, to: ["bob@a.test"] });
  const dropped = await aQueuedEmail(other, "cay@a.test");
  const { reached } = await aWorker();
  await until(async () => expect(await parkedRows()).toBe(3));
  expect(reached()).toEqual([]);

  const company = { kind: "company", subject: other.companyId } as const;
  clearOverviewCache();
  expect((await getQueueOverview(db())).holds).toContainEqual(
    expect.objectContaining({ ...company, isSuspension: true }),
  );
  await expect(release(operator, company)).rejects.toMatchObject({ reason: "not_allowed" });
  expect(await dropWaiting(operator, company)).toEqual({ dropped: 1, isDone: true });
  expect(await historyOf(dropped)).toEqual(["sent", "failed cay@a.test"]);

  await restoreCompany(ctx);
  await until(() => expect(reached()).toEqual(["ann@a.test", "bob@a.test"]));
});

test("mail under two holds stays on hold when one of them ends", async () => {
  const sender = await aSender();
  const company = { kind: "company", subject: sender.companyId } as const;
  const destination = { kind: "destination", subject: "a.test" } as const;
  await hold(operator, { ...company, reason: "" });
  await hold(operator, { ...destination, reason: "" });
  await aQueuedEmail(sender, "ann@a.test", "bob@b.test");
  const { reached } = await aWorker();
  await until(async () => expect(await parkedRows()).toBe(2));

  await release(operator, company);

  await until(() => expect(reached()).toEqual(["bob@b.test"]));
  expect(await parkedRows()).toBe(1);
});

test("a new worker finds rows parked by a worker that died", async () => {
  const sender = await aSender();
  const held = { kind: "company", subject: sender.companyId } as const;
  await hold(operator, { ...held, reason: "" });
  await aQueuedEmail(sender, "ann@a.test");
  const first = await aWorker();
  await until(async () => expect(await parkedRows()).toBe(1));
  await first.stop();
  await release(operator, held);

  const { reached } = await aWorker();

  await until(() => expect(reached()).toEqual(["ann@a.test"]));
});

test("time on hold doesn't count towards the time after which mail bounces", async () => {
  const sender = await aSender();
  const held = { kind: "destination", subject: "a.test" } as const;
  await hold(operator, { ...held, reason: "" });
  const id = await aQueuedEmail(sender, "ann@a.test");
  await anAcceptedMessage({ companyId: sender.companyId, to: ["bob@a.test"] });
  const { carrier, deliveries } = aScriptedCarrier(({ recipients }) =>
    recipients.map((recipient) => ({
      recipient,
      result: "delayed",
      dsn: "4.2.0",
      message: "451 Later",
      suppress: false,
    })),
  );
  await pumps.start({ carrier, pollMs: 50 });
  await until(async () => expect(await parkedRows()).toBe(2));
  const sixDaysAgo = sql`clock_timestamp() - interval '6 days'`;
  await db().update(outbox).set({ createdAt: sixDaysAgo });
  await db().update(messageRecipients).set({ createdAt: sixDaysAgo });
  expect(deliveries).toHaveLength(0);

  await release(operator, held);

  await until(async () => expect(await historyOf(id)).toContain("delivery_delayed ann@a.test"));
  await until(async () =>
    expect(await db().select().from(messageRecipients)).toMatchObject([
      { state: "queued", attempt: 1 },
    ]),
  );
  expect(await db().$count(outbox)).toBe(1);
});

test("dropped mail fails visibly: in its history, webhooks, a message to its sender, and the ledger", async () => {
  const sender = await aSender();
  await aWebhook(sender.companyId);
  const held = { kind: "company", subject: sender.companyId } as const;
  await hold(operator, { ...held, reason: "" });
  const id = await aQueuedEmail(sender, "ann@a.test", "bob@b.test");
  const ofPerson = { companyId: sender.companyId, sender: `cay@${sender.name}`, to: ["d@d.test"] };
  await anAcceptedMessage(ofPerson);
  const kept = await aQueuedEmail(await aSender(), "eve@a.test");

  expect(await dropWaiting(operator, held)).toEqual({ dropped: 3, isDone: true });

  expect((await historyOf(id)).toSorted()).toEqual([
    "failed ann@a.test",
    "failed bob@b.test",
    "sent",
  ]);
  const told = sql`email_id = ${id} and reason like 'The operator%'`;
  expect(await db().$count(emailEvents, told)).toBe(2);
  expect(await db().$count(webhookEvents, eq(webhookEvents.companyId, sender.companyId))).toBe(2);
  const states = await db()
    .select({ recipient: messageRecipients.recipient, state: messageRecipients.state })
    .from(messageRecipients)
    .orderBy(messageRecipients.id);
  expect(states).toEqual([
    { recipient: "d@d.test", state: "bounced" },
    { recipient: `cay@${sender.name}`, state: "queued" },
  ]);
  expect(await historyOf(kept)).toEqual(["sent"]);
  expect(await auditLedger(db())).toMatchObject({ failed: 2, queued: 1, unaccounted: 0 });
  expect(
    await db().$count(
      auditEntries,
      sql`action = 'queue.dropped' and company_id = ${sender.companyId}`,
    ),
  ).toBe(1);
});

test("only mail on hold can be dropped", async () => {
  const sender = await aSender();
  await aQueuedEmail(sender, "ann@a.test");
  const asked = { kind: "company", subject: sender.companyId } as const;
  await expect(dropWaiting(operator, asked)).rejects.toMatchObject({ reason: "not_allowed" });
  expect(await db().$count(outbox)).toBe(1);
});

test("retry makes delayed mail due, except mail on hold or to other destinations", async () => {
  const sender = await aSender();
  const due = sql`clock_timestamp() + interval '6 hours'`;
  await queuedEmails(sender, [["ann@a.test"], ["bob@b.test"]], { due });
  await queuedEmails(sender, [["cay@a.test"]], { due: sql`'infinity'::timestamptz` });

  expect(await retryNow(operator, { kind: "destination", subject: "a.test" })).toBe(1);

  const { reached } = await aWorker();
  // The parked row belongs to no hold, so the worker unparks it.
  await until(() => expect(reached()).toEqual(["ann@a.test", "cay@a.test"]));
  expect(await retryNow(operator, { kind: "destination", subject: "a.test" })).toBe(0);
});

test.each([
  ["a destination that is no domain", { kind: "destination", subject: "not a domain" }, "invalid"],
  ["a company that is none", { kind: "company", subject: "x" }, "not_found"],
] as const)("%s can't be put on hold", async (_, subject, reason) => {
  await expect(hold(operator, { ...subject, reason: "" })).rejects.toMatchObject({ reason });
  expect(await db().$count(queueHolds)).toBe(0);
});

test("releasing without a hold fails, and a second hold replaces the reason of the first", async () => {
  const subject = { kind: "destination", subject: "a.test" } as const;
  await expect(release(operator, subject)).rejects.toMatchObject({ reason: "not_found" });
  await Promise.all([
    hold(operator, { ...subject, reason: "one" }),
    hold(operator, { ...subject, reason: "two" }),
  ]);
  expect(await db().$count(queueHolds)).toBe(1);
});

test("an operator drops forwards and then their reports, and the ledger accounts for all of it", async () => {
  const { companyId } = await aSender();
  const { address: mailbox } = await aMailbox(await aDomain(companyId));
  await hold(operator, { kind: "company", subject: companyId, reason: "" });
  const given = { companyId, origin: "forward" as const, mailbox, sender: mailbox };
  await anAcceptedMessage({ ...given, to: ["f@x.test"] });

  const subject = { kind: "company" as const, subject: companyId };
  expect(await dropWaiting(operator, subject)).toMatchObject({ dropped: 1 });
  expect(await auditMail(db())).toMatchObject({ bounced: 1, queued: 1, unaccounted: 0 });
  expect(await dropWaiting(operator, subject)).toMatchObject({ dropped: 1 });
  expect(await auditMail(db())).toMatchObject({ bounced: 2, queued: 0, unaccounted: 0 });
});
