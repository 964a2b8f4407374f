import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { auditEntries, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { updateWebhook } from "#server/core/webhooks/endpoints/webhooks.ts";
import { replayEvent, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import {
  attemptAt,
  attemptsOf,
  dueEvents,
  eventOf,
  leaseEvents,
  makeDue,
} from "#server/testing/due-events.ts";
import { aCompany, aContext, aWebhook } from "#server/testing/factories.ts";

import { recordAttempts } from "./attempts.ts";

const aNewWebhook = async (overrides: Parameters<typeof aWebhook>[1] = {}) =>
  aWebhook((await aCompany()).id, overrides);

async function webhookOf({ id }: { id: string }) {
  const [webhook] = await db().select().from(webhooks).where(eq(webhooks.id, id));
  return webhook!;
}

/** Attempts a webhook's due events once and records the results. */
async function attempt(webhook: { id: string }, error: string | null = null) {
  const leased = await leaseEvents([webhook.id]);
  await recordAttempts(
    db(),
    leased.map((event) => attemptAt(event, error)),
  );
  return leased.map(({ id }) => id);
}

const noticesOf = (webhookId: string) =>
  db().execute(sql`
    select from graphile_worker._private_jobs where payload::text like ${`%${webhookId}%`}`);

/** Seconds from now to the next attempt. */
async function waitOf(id: string): Promise<number | null> {
  const [row] = await db().execute<{ wait: number | null }>(sql`
    select extract(epoch from next_attempt_at - clock_timestamp())::float8 as wait
    from webhook_events where id = ${id}`);
  return row!.wait;
}

test("each of eight failures schedules the next attempt, and the eighth is the last", async () => {
  const webhook = await aNewWebhook();
  const [id] = await dueEvents(webhook);
  for (const wait of [5, 300, 1800, 7200, 18_000, 36_000, 36_000]) {
    expect(await attempt(webhook, "HTTP 500")).toEqual([id]);
    expect(await eventOf(id!)).toMatchObject({ status: "attempting", leaseOwner: null });
    expect(Math.abs((await waitOf(id!))! - wait)).toBeLessThan(1);
    await makeDue(id!);
  }
  await attempt(webhook, "timeout");
  const last = { status: "failed", attempts: 8, scheduled: 8, nextAttemptAt: null };
  expect(await eventOf(id!)).toMatchObject(last);
  expect((await attemptsOf(id!)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test("a success ends an event and keeps all attempts", async () => {
  const webhook = await aNewWebhook();
  const [id] = await dueEvents(webhook);
  await attempt(webhook, "HTTP 500");
  await makeDue(id!);
  await attempt(webhook);
  expect(await eventOf(id!)).toMatchObject({ status: "success", attempts: 2, nextAttemptAt: null });
  expect(await attemptsOf(id!)).toMatchObject([
    { httpStatusCode: 500, error: "HTTP 500", response: "received", durationMs: 12 },
    { httpStatusCode: 200, error: null },
  ]);
});

test("only the lease's owner can record, and recording twice changes nothing", async () => {
  const webhook = await aNewWebhook();
  const [id] = await dueEvents(webhook);
  const [lost] = await leaseEvents([webhook.id]);
  await db()
    .update(webhookEvents)
    .set({ leaseUntil: sql`clock_timestamp() - interval '1 second'` });
  const [held] = await leaseEvents([webhook.id]);

  await recordAttempts(db(), [attemptAt(lost!)]);
  expect(await eventOf(id!)).toMatchObject({ status: "pending", attempts: 0 });
  await recordAttempts(db(), [attemptAt(lost!), attemptAt(held!, "HTTP 500")]);
  await recordAttempts(db(), [attemptAt(held!, "HTTP 500")]);
  expect(await eventOf(id!)).toMatchObject({ status: "attempting", attempts: 1 });
  expect(await webhookOf(webhook)).toMatchObject({ failures: 1 });
});

test("keeps the newest fifty attempts of an event", async () => {
  const webhook = await aNewWebhook();
  const [id] = await dueEvents(webhook);
  for (let i = 0; i < 53; i++) {
    await makeDue(id!);
    await attempt(webhook);
  }
  const numbers = (await attemptsOf(id!)).map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => i + 4));
});

test("a failed replay of a failed event leaves it failed; otherwise the schedule continues", async () => {
  const webhook = await aNewWebhook();
  const ctx = aContext(webhook.companyId);
  const [done] = await dueEvents(webhook, 1, {
    status: "failed",
    attempts: 8,
    scheduled: 8,
    nextAttemptAt: null,
  });
  const [middle] = await dueEvents(webhook, 1, {
    status: "attempting",
    attempts: 3,
    scheduled: 3,
    nextAttemptAt: sql`clock_timestamp() + interval '20 minutes'`,
  });
  for (const id of [done!, middle!]) await replayEvent(ctx, webhook.id, toEventId(id));
  expect(await attempt(webhook, "HTTP 500")).toHaveLength(2);
  expect(await eventOf(done!)).toMatchObject({ status: "failed", attempts: 9, scheduled: 8 });
  expect(await eventOf(middle!)).toMatchObject({ status: "attempting", attempts: 4, scheduled: 3 });
  expect(await waitOf(middle!)).toBeGreaterThan(1790);

  await replayEvent(ctx, webhook.id, toEventId(done!));
  await attempt(webhook);
  expect(await eventOf(done!)).toMatchObject({ status: "success", attempts: 10 });
});

test("a replay requested during an attempt adds one immediate attempt", async () => {
  const webhook = await aNewWebhook();
  const [id] = await dueEvents(webhook, 1, { attempts: 1, scheduled: 1, status: "attempting" });
  const leased = await leaseEvents([webhook.id]);
  await replayEvent(aContext(webhook.companyId), webhook.id, toEventId(id!));
  expect(await leaseEvents([webhook.id])).toEqual([]);

  expect(
    await recordAttempts(
      db(),
      leased.map((event) => attemptAt(event)),
    ),
  ).toEqual({
    hasDueEvent: true,
  });
  expect(await eventOf(id!)).toMatchObject({ status: "attempting", scheduled: 2 });
  expect(await leaseEvents([webhook.id])).toMatchObject([{ id, isReplay: true }]);
});

test("a hundred consecutive failures across all events disable the webhook, with an audit entry and a notice", async () => {
  const webhook = await aNewWebhook();
  await dueEvents(webhook, 99);
  await attempt(webhook, "HTTP 500");
  expect(await webhookOf(webhook)).toMatchObject({ status: "enabled", failures: 99 });
  expect(await noticesOf(webhook.id)).toHaveLength(0);

  const [last, held] = [await dueEvents(webhook, 1), await dueEvents(webhook, 1)].flat();
  const leased = await leaseEvents([webhook.id]);
  const [fatal, underWay] = [last!, held!].map((id) => leased.find((event) => event.id === id)!);
  await recordAttempts(db(), [attemptAt(fatal!, "timeout")]);

  const disabled = await webhookOf(webhook);
  expect(disabled).toMatchObject({ status: "disabled", failures: 100 });
  expect(disabled.disabledForFailuresAt).not.toBeNull();
  expect(disabled.failingSince).not.toBeNull();
  const audited = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, webhook.companyId));
  expect(audited).toMatchObject([
    { actor: "system", action: "webhook.disabled", details: { webhookId: webhook.id } },
  ]);
  expect(await noticesOf(webhook.id)).toHaveLength(1);

  // Attempts in flight end as usual and don't change the webhook.
  await recordAttempts(db(), [attemptAt(underWay!)]);
  expect(await eventOf(held!)).toMatchObject({ status: "success" });
  expect(await webhookOf(webhook)).toMatchObject({ status: "disabled", failures: 100 });
  expect(await noticesOf(webhook.id)).toHaveLength(1);

  // After enabling, pending events are due at once, and the count restarts.
  await makeDue(last!);
  expect(await leaseEvents([webhook.id])).toEqual([]);
  await updateWebhook(aContext(webhook.companyId), webhook.id, { status: "enabled" });
  const [first] = await leaseEvents([webhook.id], 1);
  await recordAttempts(db(), [attemptAt(first!, "HTTP 500")]);
  expect(await webhookOf(webhook)).toMatchObject({ status: "enabled", failures: 1 });
});

test("a success resets the failure count and the time of the first failure", async () => {
  const webhook = await aNewWebhook({ failures: 60, noticedAt: new Date().toISOString() });
  await dueEvents(webhook, 3);
  const leased = await leaseEvents([webhook.id]);
  const errors = ["HTTP 500", null, "HTTP 500"];
  await recordAttempts(
    db(),
    leased.map((event, i) => attemptAt(event, errors[i])),
  );
  const failing = await webhookOf(webhook);
  expect(failing).toMatchObject({ failures: 1, noticedAt: null });
  expect(failing.failingSince).not.toBeNull();

  await dueEvents(webhook);
  await attempt(webhook);
  expect(await webhookOf(webhook)).toMatchObject({ failures: 0, failingSince: null });
});

test("concurrent workers count every failure and disable the webhook once", async () => {
  const webhook = await aNewWebhook();
  await dueEvents(webhook, 120);
  const leased = await leaseEvents([webhook.id], 120);
  const [taken, release] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
  const locked = db().transaction(async (tx) => {
    await tx.execute(sql`select from webhooks where id = ${webhook.id} for update`);
    taken.resolve(null);
    await release.promise;
  });
  await taken.promise;
  const recordings = [0, 20, 40, 60, 80, 100].map((from) =>
    recordAttempts(
      db(),
      leased.slice(from, from + 20).map((event) => attemptAt(event, "HTTP 500")),
    ),
  );
  await untilBlocked(6);
  release.resolve(null);
  await Promise.all([locked, ...recordings]);
  expect(await webhookOf(webhook)).toMatchObject({ status: "disabled", failures: 100 });
  expect(await noticesOf(webhook.id)).toHaveLength(1);
});

test("ignores attempts of a deleted webhook or event, and records the others", async () => {
  const [gone, webhook] = [await aNewWebhook(), await aNewWebhook()];
  await dueEvents(gone);
  const [deleted, kept] = await dueEvents(webhook, 2);
  const leased = await leaseEvents([gone.id, webhook.id]);
  await db().delete(webhooks).where(eq(webhooks.id, gone.id));
  await db().delete(webhookEvents).where(eq(webhookEvents.id, deleted!));

  await recordAttempts(
    db(),
    leased.map((event) => attemptAt(event, "HTTP 500")),
  );
  expect(await eventOf(kept!)).toMatchObject({ status: "attempting" });
  expect(await webhookOf(webhook)).toMatchObject({ failures: 1 });
});
