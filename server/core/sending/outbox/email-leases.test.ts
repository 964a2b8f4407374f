import { randomUUID } from "node:crypto";

import { and, eq, inArray, sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";

import { outbox } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { connect, type Db } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { countRowsRead } from "#server/testing/count-rows-read.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

import {
  type LeasedEmail,
  leaseDueEmails,
  msUntilDue,
  releaseLeases,
  renewLeases,
} from "./email-leases.ts";
import { type BusyDestination, type ByteBudget, firstTurn, READ_MAX } from "./fair-leases.ts";
import { getQueueDepth } from "./queue-depth.ts";
import { PRIORITIES } from "./queue-rows.ts";

afterEach(async () => {
  await db().delete(outbox);
});

const MB = 1024 * 1024;
const room = { light: 64 * MB, heavy: 64 * MB };

const lease = (owner: string, limit = 500, busy: BusyDestination[] = [], readsAll = true) =>
  leaseDueEmails(db(), { owner, limit, room, busy, readsAll });

const allTo = (destination: string): BusyDestination => ({ destination, companies: "all" });

const rowIds = (leased: LeasedEmail[]) =>
  leased.flatMap(({ recipients }) => recipients.map(({ rowId }) => rowId));

const to = (count: number, domain = "example.org") =>
  Array.from({ length: count }, (_, i) => [`r${i}@${domain}`]);

/** How many rows of the outbox a lease reads. */
const rowsRead = (
  onDb: Db,
  request: { limit: number; busy?: BusyDestination[]; readsAll?: boolean },
) =>
  countRowsRead(onDb, "outbox", (tx) =>
    leaseDueEmails(tx, { owner: randomUUID(), room, ...request }),
  );

test("returns everything a message is composed from, with an email's recipients together", async () => {
  const sender = await aSender();
  const [id] = await queuedEmails(sender, [["ann@example.org", "bob@example.net"]]);

  const leased = await lease(randomUUID());

  expect(leased).toHaveLength(1);
  expect(leased[0]).toMatchObject({
    id,
    companyId: sender.companyId,
    domainId: sender.id,
    messageId: `<${id}@${sender.name}>`,
    subject: `Greetings ${id}`,
    body: {
      addressHeaders: { from: { name: "Post House", address: `post@${sender.name}` } },
      html: "<p>Hello</p>",
      text: "Hello",
      headers: {},
    },
    recipients: [
      { recipient: "ann@example.org", destination: "example.org", attempt: 0 },
      { recipient: "bob@example.net", destination: "example.net", attempt: 0 },
    ],
  });
  expect(Date.parse(leased[0]!.sentAt!)).toBeGreaterThan(0);
});

test("returns whether emails have attachments and tracking", async () => {
  const sender = await aSender();
  const [plain] = await queuedEmails(sender, to(1));
  const [rich] = await queuedEmails(sender, to(1), { file: Buffer.alloc(100), tracking: true });

  const leased = new Map((await lease(randomUUID())).map((email) => [email.id, email]));
  expect(leased.get(plain!)).toMatchObject({ hasAttachments: false, openTracking: false });
  expect(leased.get(rich!)).toMatchObject({
    hasAttachments: true,
    openTracking: true,
    clickTracking: true,
    size: 112,
  });
  expect(leased.get(rich!)).not.toHaveProperty("attachments");
});

test("leases within the budgets for heavy and light emails, the rest later", async () => {
  const sender = await aSender();
  await queuedEmails(sender, to(500), { size: 20 * MB });
  await queuedEmails(sender, to(3), { size: MB });
  const take = (room: ByteBudget) =>
    leaseDueEmails(db(), { owner: randomUUID(), limit: 1000, room });
  const sizesOf = (leased: LeasedEmail[]) => leased.map(({ size }) => size / MB);

  expect(sizesOf(await take({ light: 2 * MB, heavy: 64 * MB }))).toEqual([20, 20, 20, 1, 1]);
  expect(sizesOf(await take({ light: 2 * MB, heavy: 19 * MB }))).toEqual([1]);
  expect(sizesOf(await take({ light: 2 * MB, heavy: 20 * MB }))).toEqual([20]);
  expect(await take({ light: 0, heavy: 0 })).toEqual([]);
  expect(await getQueueDepth(db())).toMatchObject({ due: 496 });
});

test("counts an email once in its budget, whatever its number of recipients", async () => {
  const sender = await aSender();
  await queuedEmails(sender, [["a@x.example", "b@x.example", "c@x.example"]], { size: 20 * MB });
  await queuedEmails(sender, [["d@x.example"]], { size: 20 * MB });
  const room = { light: 0, heavy: 30 * MB };

  const leased = await leaseDueEmails(db(), { owner: randomUUID(), limit: 500, room });
  expect(leased.map(({ recipients }) => recipients.length)).toEqual([3]);
});

test("concurrent workers lease each recipient exactly once", async () => {
  await queuedEmails(await aSender(), to(400));

  const batches = await Promise.all(Array.from({ length: 20 }, () => lease(randomUUID(), 50)));
  const rest = await lease(randomUUID());

  const all = rowIds([...batches.flat(), ...rest]);
  expect(all).toHaveLength(400);
  expect(new Set(all).size).toBe(400);
});

test("leases expired leases first, then longest due first", async () => {
  const sender = await aSender();
  const due = (minutes: number) => ({ due: sql`now() - make_interval(mins => ${minutes})` });
  const [late] = await queuedEmails(sender, [["late@example.org"]], due(1));
  const [early] = await queuedEmails(sender, [["early@example.org"]], due(10));
  const [abandoned] = await queuedEmails(sender, [["abandoned@example.org"]]);
  await queuedEmails(sender, [["future@example.org"]], due(-1));
  await db()
    .update(outbox)
    .set({ leaseOwner: randomUUID(), leaseUntil: sql`now() - interval '1 second'` })
    .where(eq(outbox.emailId, abandoned!));

  const order = [];
  for (let i = 0; i < 4; i++) order.push(...(await lease(randomUUID(), 1)).map(({ id }) => id));
  expect(order).toEqual([abandoned, early, late]);
});

test("skips busy destinations", async () => {
  const sender = await aSender();
  await queuedEmails(sender, [["a@busy.example", "b@free.example"]]);
  const [email] = await lease(randomUUID(), 10, [allTo("busy.example")]);
  expect(email!.recipients.map(({ recipient }) => recipient)).toEqual(["b@free.example"]);
});

test("reads the mail of busy destinations once", async () => {
  await queuedEmails(await aSender(), to(300));
  const destination = "b.test";
  await db().update(outbox).set({ destination });
  const read = await rowsRead(db(), { limit: 100, busy: [allTo(destination)] });
  expect(read.byScan + read.byIndex).toBeGreaterThanOrEqual(300);
  expect(read.byScan + read.byIndex).toBeLessThan(400);
});

test("skips a busy destination's batches, and the single emails of some companies", async () => {
  const [large, small] = [await aSender(), await aSender()];
  await queuedEmails(large, [...to(1, "busy.example"), ...to(1, "free.example")]);
  await queuedEmails(small, to(2, "busy.example"));
  const [batch] = await db()
    .update(outbox)
    .set({ priority: PRIORITIES.batch })
    .where(and(eq(outbox.companyId, small.companyId), eq(outbox.recipient, "r0@busy.example")))
    .returning();
  const busy = [{ destination: "busy.example", companies: [large.companyId] }];
  const leased = await lease(randomUUID(), 10, busy);
  expect(leased.map(({ recipients }) => recipients[0]!.recipient).toSorted()).toEqual([
    "r0@free.example",
    "r1@busy.example",
  ]);
  expect(rowIds(await lease(randomUUID(), 10))).toContain(String(batch!.id));
});

test("finds mail behind any number of skipped emails only if it reads all", async () => {
  const sender = await aSender();
  const [first] = await queuedEmails(sender, to(1, "busy.example"));
  await db().execute(sql`
    insert into outbox (email_id, company_id, recipient, destination, next_attempt_at)
    select email_id, company_id, recipient, destination, next_attempt_at
    from outbox, generate_series(1, ${READ_MAX}) where email_id = ${first}::uuid`);
  const [behind] = await queuedEmails(sender, to(1, "free.example"));
  const busy = [allTo("busy.example")];
  expect(await lease(randomUUID(), 10, busy, false)).toEqual([]);
  const read = await rowsRead(db(), { limit: 10, busy, readsAll: false });
  expect(read.byScan).toBe(0);
  const [leased] = await lease(randomUUID(), 10, busy, true);
  expect(leased!.id).toBe(behind);
});

test("reads a limited number of skipped emails, whatever the planner's statistics say", async () => {
  await queuedEmails(await aSender(), to(3, "busy.example"));
  const [email] = await queuedEmails(await aSender(), to(1, "busy.example"));
  await db().execute(sql`
    insert into outbox (email_id, company_id, priority, recipient, destination, next_attempt_at)
    select email_id, company_id, ${PRIORITIES.batch}, recipient, destination, now() - interval '1 hour' + nth * interval '1 ms'
    from outbox, generate_series(1, ${60 * READ_MAX}) as nth where email_id = ${email}::uuid`);
  await db().execute(sql`vacuum analyze outbox`);
  const busy = [{ destination: "busy.example", companies: [] }];
  const read = await rowsRead(db(), { limit: 10, busy, readsAll: false });
  expect(read.byScan).toBe(0);
  expect(read.byIndex).toBeLessThan(1.1 * READ_MAX);
});

test("a renewed lease is not due; an expired one can be leased by another worker", async () => {
  await queuedEmails(await aSender(), to(2));
  const [first, second] = [randomUUID(), randomUUID()];
  const ids = rowIds(await lease(first));
  const expire = () =>
    db()
      .update(outbox)
      .set({ leaseUntil: sql`now() - interval '1 second'` })
      .where(inArray(outbox.id, ids.map(BigInt)));

  await expire();
  expect((await renewLeases(db(), first, ids)).sort()).toEqual([...ids].sort());
  expect(await lease(second)).toEqual([]);

  await expire();
  expect(rowIds(await lease(second))).toHaveLength(2);
  expect(await renewLeases(db(), first, ids)).toEqual([]);
});

test("released rows are due immediately; rows of another owner stay leased", async () => {
  await queuedEmails(await aSender(), to(2));
  const owner = randomUUID();
  const ids = rowIds(await lease(owner));

  await releaseLeases(db(), randomUUID(), ids);
  expect(await lease(randomUUID())).toEqual([]);
  await releaseLeases(db(), owner, ids);
  expect(rowIds(await lease(randomUUID()))).toHaveLength(2);
});

test("the queue depth includes waiting and due recipients and their age", async () => {
  const sender = await aSender();
  expect(await getQueueDepth(db())).toEqual({ waiting: 0, due: 0, oldestDueSeconds: null });
  await queuedEmails(sender, to(3), { due: sql`now() - interval '90 seconds'` });
  await lease(randomUUID(), 1);
  await queuedEmails(sender, to(1), { due: sql`now() + interval '1 hour'` });

  const depth = await getQueueDepth(db());
  expect(depth).toMatchObject({ waiting: 4, due: 2 });
  expect(depth.oldestDueSeconds).toBeGreaterThanOrEqual(90);
});

describe("companies", () => {
  const minutesAgo = (minutes: number) => ({ due: sql`now() - make_interval(mins => ${minutes})` });
  const countByCompany = (leased: LeasedEmail[]) =>
    Object.values(Object.groupBy(leased, ({ companyId }) => companyId)).map((all) => all!.length);

  test("share a lease equally, however long some mail has been due", async () => {
    await queuedEmails(await aSender(), to(200), minutesAgo(10));
    await queuedEmails(await aSender(), to(200));
    expect(countByCompany(await lease(randomUUID(), 100))).toEqual([50, 50]);
  });

  test("leave what they don't need to the others", async () => {
    await queuedEmails(await aSender(), to(200), minutesAgo(10));
    const [single] = await queuedEmails(await aSender(), to(1));
    const leased = await lease(randomUUID(), 100);
    expect(countByCompany(leased).toSorted()).toEqual([1, 99]);
    // Nor does it wait behind them in the worker.
    expect(leased.findIndex(({ id }) => id === single)).toBeLessThan(2);
  });

  test("take turns if there are more than share one lease", async () => {
    const sender = await aSender();
    await queuedEmails(sender, to(200));
    await db().execute(sql`update outbox set company_id = gen_random_uuid()
      where id in (select id from outbox order by id limit 100)`);
    const turn = firstTurn();
    const leasedCompanies = async () => {
      await leaseDueEmails(db(), { owner: randomUUID(), limit: 64, room, turn });
      const [row] = await db().execute<{ count: number }>(sql`
        select count(distinct company_id)::int as count from outbox where lease_until is not null`);
      return row!.count;
    };
    expect(await leasedCompanies()).toBe(64);
    expect(await leasedCompanies()).toBe(101);
  });
});

test("doesn't scan the whole queue with a plan made while it was empty", async () => {
  const connection = connect(config().databaseUrl!, { max: 1 });
  const oneDb = connection.db;
  const take = () => leaseDueEmails(oneDb, { owner: randomUUID(), limit: 10, room });
  try {
    await db().delete(outbox);
    await db().execute(sql`vacuum analyze outbox`);
    for (let i = 0; i < 8; i++) await take();
    await queuedEmails(await aSender(), to(3000));
    expect((await rowsRead(oneDb, { limit: 10 })).byScan).toBe(0);
  } finally {
    await connection.close();
  }
});

test("leases a company's single emails before its batches", async () => {
  const sender = await aSender();
  await queuedEmails(sender, to(200));
  await db().update(outbox).set({ priority: PRIORITIES.batch });
  const [single] = await queuedEmails(sender, to(1));
  expect((await lease(randomUUID(), 100))[0]!.id).toBe(single);
});

test("heavy emails don't keep light ones out of a lease", async () => {
  const sender = await aSender();
  await queuedEmails(sender, to(200), { size: 2 * MB });
  await db().update(outbox).set({ priority: PRIORITIES.heavy });
  const light = await queuedEmails(sender, to(10));
  const take = async (heavy: number) => {
    const room = { light: MB, heavy };
    const leased = await leaseDueEmails(db(), { owner: randomUUID(), limit: 100, room });
    return leased.map(({ id }) => id);
  };
  expect((await take(0)).toSorted()).toEqual(light.toSorted());
  expect(await take(4 * MB)).toHaveLength(2);
});

test("tells how long until the next row is due, planned or by the end of its lease", async () => {
  expect(await msUntilDue(db(), "outbox")).toBeNull();
  expect(await msUntilDue(db(), "message_recipients")).toBeNull();
  await queuedEmails(await aSender(), to(2));
  expect(await msUntilDue(db(), "outbox")).toBeLessThanOrEqual(0);
  await db()
    .update(outbox)
    .set({ nextAttemptAt: sql`clock_timestamp() + interval '1 minute'` });
  expect(await msUntilDue(db(), "outbox")).toBeCloseTo(60_000, -3);
  const [row] = await db().select({ id: outbox.id }).from(outbox).limit(1);
  await db()
    .update(outbox)
    .set({ leaseUntil: sql`clock_timestamp() + interval '20 seconds'` })
    .where(eq(outbox.id, row!.id));
  expect(await msUntilDue(db(), "outbox")).toBeCloseTo(20_000, -3);
  await db()
    .update(outbox)
    .set({ nextAttemptAt: sql`'infinity'`, leaseUntil: null });
  expect(await msUntilDue(db(), "outbox")).toBeNull();
});

test("the mail of a busy company waits by priority, and others share the lease", async () => {
  const [busy, other] = [await aSender(), await aSender()];
  await queuedEmails(busy, to(3, "batch.test"));
  await db().update(outbox).set({ priority: PRIORITIES.batch });
  await queuedEmails(busy, to(2, "single.test"));
  await queuedEmails(other, to(2, "other.test"));
  const destinations = async (waiting: (keyof typeof PRIORITIES)[], readsAll: boolean) => {
    const busyCompanies = [{ company: busy.companyId, waiting }];
    const request = { owner: randomUUID(), limit: 500, room, busyCompanies, readsAll };
    const leased = await leaseDueEmails(db(), request);
    await db().update(outbox).set({ leaseUntil: null, leaseOwner: null });
    const found = leased.flatMap(({ recipients }) => recipients.map((one) => one.destination));
    return [...new Set(found)].toSorted();
  };
  for (const readsAll of [true, false]) {
    expect(await destinations(["batch", "heavy"], readsAll)).toEqual(["other.test", "single.test"]);
    expect(await destinations(["batch", "heavy", "single"], readsAll)).toEqual(["other.test"]);
    expect(await destinations(["heavy"], readsAll)).toHaveLength(3);
  }
});
