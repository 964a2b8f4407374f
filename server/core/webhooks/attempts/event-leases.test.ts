import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { connect, type Db } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { dueEvents, eventOf, expireLeases, leaseEvents } from "#server/testing/due-events.ts";
import { aCompany, aWebhook } from "#server/testing/factories.ts";

import {
  disownEvent,
  findDueWebhooks,
  type LeasedEvent,
  leaseDueEvents,
  releaseEvents,
} from "./event-leases.ts";

const inSeconds = (seconds: number) => sql`clock_timestamp() + make_interval(secs => ${seconds})`;

const aNewWebhook = async (overrides: Parameters<typeof aWebhook>[1] = {}) =>
  aWebhook((await aCompany()).id, overrides);

const releaseLease = (event: LeasedEvent) => releaseEvents(db(), [event]);

/** The lease expires after an error on our side. */
async function disown(event: LeasedEvent) {
  await disownEvent(db(), event);
  await expireLeases();
}

const due = async (webhookId: string, withinMs = 0) =>
  (await findDueWebhooks(db(), withinMs)).find((found) => found.webhookId === webhookId);

test("leases the longest due events of each webhook, with the exact payload", async () => {
  const [one, two] = [await aNewWebhook(), await aNewWebhook()];
  const [late] = await dueEvents(one, 1, { nextAttemptAt: inSeconds(-1) });
  const [early] = await dueEvents(one, 1, { nextAttemptAt: inSeconds(-9) });
  const [other] = await dueEvents(two);
  await db().execute(sql`
    update webhook_events set payload = '{"b":  1, "a": "Gr\\u00fc\\u00dfe 🐣"}' where id = ${early!}`);

  const leased = await leaseEvents([one.id, two.id], 1);

  expect(leased.map(({ id }) => id).sort()).toEqual([early, other].sort());
  expect(leased.find(({ id }) => id === early)).toMatchObject({
    payload: '{"b":  1, "a": "Gr\\u00fc\\u00dfe 🐣"}',
    webhookId: one.id,
    endpoint: one.endpoint,
    sealedSecret: one.sealedSecret,
    isReplay: false,
  });
  expect((await leaseEvents([one.id])).map(({ id }) => id)).toEqual([late]);
  expect(await leaseEvents([one.id, two.id])).toEqual([]);
});

test("skips events that are not due, not scheduled, or of a disabled webhook", async () => {
  const webhook = await aNewWebhook();
  await dueEvents(webhook, 1, { nextAttemptAt: inSeconds(60) });
  await dueEvents(webhook, 1, { nextAttemptAt: null });
  const disabled = await aNewWebhook({ status: "disabled" });
  await dueEvents(disabled);

  expect(await leaseEvents([webhook.id, disabled.id])).toEqual([]);
  expect(await due(webhook.id)).toBeUndefined();
  expect(await due(disabled.id)).toBeUndefined();
});

test("expired leases can be leased again; concurrent workers share the events", async () => {
  const webhook = await aNewWebhook();
  const ids = await dueEvents(webhook, 20);
  const [one, two] = await Promise.all([
    leaseEvents([webhook.id], 15),
    leaseEvents([webhook.id], 15),
  ]);
  const taken = [...one, ...two].map(({ id }) => id);
  expect(new Set(taken).size).toBe(taken.length);
  const rest = await leaseEvents([webhook.id]);
  expect([...taken, ...rest.map(({ id }) => id)].sort()).toEqual([...ids].sort());

  await db()
    .update(webhookEvents)
    .set({ leaseUntil: inSeconds(-1) })
    .where(sql`id = ${ids[0]!}`);
  expect(await due(webhook.id)).toBeDefined();
  expect((await leaseEvents([webhook.id])).map(({ id }) => id)).toEqual([ids[0]]);
});

test("only a lease that a worker lost a second time makes an event suspect", async () => {
  const webhook = await aNewWebhook();
  await dueEvents(webhook);
  const lease = async () => (await leaseEvents([webhook.id]))[0]!;
  const suspicion = [];
  for (const end of [releaseLease, disown, expireLeases, disown, expireLeases, releaseLease]) {
    const event = await lease();
    suspicion.push(event.isSuspect);
    await end(event);
  }
  expect(suspicion).toEqual([false, false, false, false, false, true]);
  expect(await lease()).toMatchObject({ isSuspect: false });
});

test("skips locked rows without waiting", async () => {
  const webhook = await aNewWebhook();
  const [held, free] = await dueEvents(webhook, 2);
  await db().transaction(async (tx) => {
    await tx.execute(sql`select from webhook_events where id = ${held!} for update`);
    expect((await leaseEvents([webhook.id])).map(({ id }) => id)).toEqual([free]);
  });
});

test("only the owner can release a lease, and a replay stays a replay", async () => {
  const webhook = await aNewWebhook();
  const [id] = await dueEvents(webhook, 1, { isReplay: true, attempts: 1, status: "attempting" });
  const [first] = await leaseEvents([webhook.id]);
  expect(first).toMatchObject({ id, isReplay: true });
  expect(await eventOf(id!)).toMatchObject({ isReplay: false });

  await releaseEvents(db(), [{ ...first!, lease: crypto.randomUUID() }]);
  expect(await leaseEvents([webhook.id])).toEqual([]);
  await releaseEvents(db(), [first!]);
  expect(await leaseEvents([webhook.id])).toMatchObject([{ id, isReplay: true }]);
});

test("finds due events behind leased ones, and returns when the next one is due", async () => {
  const webhook = await aNewWebhook({ failures: 7 });
  await dueEvents(webhook, 1, { nextAttemptAt: inSeconds(-5) });
  await dueEvents(webhook, 1, { nextAttemptAt: inSeconds(-4) });
  await dueEvents(webhook, 1, { nextAttemptAt: inSeconds(30) });
  expect(await due(webhook.id)).toMatchObject({ failures: 7 });
  expect((await due(webhook.id))!.inMs).toBeLessThanOrEqual(-5000);

  await leaseEvents([webhook.id], 1);
  expect((await due(webhook.id))!.inMs).toBeLessThanOrEqual(-4000);
  await leaseEvents([webhook.id], 1);
  expect(await due(webhook.id, 1000)).toBeUndefined();
  const later = await due(webhook.id, 60_000);
  expect(later!.inMs).toBeGreaterThan(20_000);
  expect(later!.inMs).toBeLessThanOrEqual(30_000);
});

test("with 200,000 events waiting for one webhook and 500 others, reads only a few rows of each", async () => {
  await db().delete(webhooks);
  // One connection: plans made while the tables were nearly empty are used when they are full.
  const connection = connect(process.env.DATABASE_URL!, { max: 1 });
  try {
    const lease = crypto.randomUUID();
    const dead = await aNewWebhook();
    // The planner's statistics are from when every event had been delivered.
    await dueEvents(dead, 1000, { nextAttemptAt: null, status: "success" });
    await db().execute(sql`analyze webhook_events`);
    for (let i = 0; i < 10; i++) {
      await findDueWebhooks(connection.db, 1000);
      await leaseDueEvents(connection.db, { lease, shares: [{ webhookId: lease, take: 8 }] });
    }
    await db().execute(sql`
      insert into webhooks (id, company_id, endpoint, events, sealed_secret)
      select gen_random_uuid(), company_id, endpoint, events, sealed_secret
      from webhooks, generate_series(1, 500) where id = ${dead.id}`);
    await db().execute(sql`
      insert into webhook_events (webhook_id, company_id, type, payload, next_attempt_at)
      select w.id, w.company_id, 'email.sent', '{}', clock_timestamp()
      from webhooks w, generate_series(1, case when w.id = ${dead.id} then 200000 else 3 end)`);

    await connection.db.transaction(async (tx) => {
      const found = await findDueWebhooks(tx, 1000);
      expect(found).toHaveLength(501);
      expect(await rowsRead(tx)).toEqual({ scans: 0, isMany: false });
      const shares = found.map(({ webhookId }) => ({ webhookId, take: 2 }));
      expect(await leaseDueEvents(tx, { lease, shares })).toHaveLength(1002);
      expect(await rowsRead(tx)).toEqual({ scans: 0, isMany: false });
      // Skips leased events.
      expect(await findDueWebhooks(tx, 1000)).toHaveLength(501);
      expect(await rowsRead(tx)).toEqual({ scans: 0, isMany: false });
    });
  } finally {
    await connection.close();
  }
});

/**
 * What a transaction has read of the events so far: sequential scans of the table, and whether it read more
 * than twenty rows per webhook.
 */
async function rowsRead(db: Db) {
  const [row] = await db.execute<{ scans: number; isMany: boolean }>(sql`
    select seq_scan::int as scans, idx_tup_fetch > 10_020 as "isMany" from pg_stat_xact_user_tables
    where relname = 'webhook_events'`);
  return row;
}
