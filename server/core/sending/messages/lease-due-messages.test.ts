import { randomUUID } from "node:crypto";

import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { messages } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { getQueueDepth } from "#server/core/sending/outbox/queue-depth.ts";
import { releaseLeases, renewLeases } from "#server/core/sending/outbox/email-leases.ts";
import {
  type BusyDestination,
  firstTurn,
  READ_MAX,
} from "#server/core/sending/outbox/fair-leases.ts";
import { connect, type Db } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { countRowsRead } from "#server/testing/count-rows-read.ts";
import { aCompany } from "#server/testing/factories.ts";

import { type LeasedMessage, leaseDueMessages } from "./lease-due-messages.ts";

let companyId: string;
beforeEach(async () => {
  await db().delete(messages);
  companyId = (await aCompany()).id;
});

const MB = 1024 * 1024;
const room = { light: 64 * MB, heavy: 64 * MB };
const lease = (owner: string = randomUUID(), rest = {}) =>
  leaseDueMessages(db(), { owner, limit: 500, room, ...rest });
const accept = (...to: string[]) => anAcceptedMessage({ companyId, sender: "ann@here.test", to });
const rowsIn = (leased: LeasedMessage[]) =>
  leased.flatMap(({ recipients }) => recipients.map(({ rowId }) => rowId));
const allTo = (destination: string): BusyDestination => ({ destination, companies: "all" });
/** Queues many rows at once, an hour ago. */
const queueMany = async (count: number, domain = "x.test", ofCompany = companyId) => {
  const id = await anAcceptedMessage({ companyId: ofCompany, to: [`r@${domain}`] });
  await db().execute(sql`
    insert into message_recipients (message_id, company_id, recipient, destination, next_attempt_at)
    select message_id, company_id, recipient, destination, now() - interval '1 hour' + nth * interval '1 ms'
    from message_recipients, generate_series(1, ${count - 1}) as nth where message_id = ${id}::uuid`);
};
const change = (what: ReturnType<typeof sql>) =>
  db().execute(sql`update message_recipients set ${what}`);

test("returns what delivery needs, with a message's recipients together", async () => {
  const id = await accept("a@x.test", "b@y.test");

  expect(await lease()).toMatchObject([
    {
      id,
      companyId,
      origin: "submission",
      sender: "ann@here.test",
      mailbox: "ann@here.test",
      groupAddress: null,
      signingDomainId: null,
      clientAddress: null,
      size: expect.any(Number) as number,
      envelopeId: null,
      returnFull: true,
      recipients: [
        {
          rowId: expect.any(String) as string,
          recipient: "a@x.test",
          destination: "x.test",
          attempt: 0,
          notify: null,
          originalRecipient: null,
          retryAskedAt: null,
        },
        {
          rowId: expect.any(String) as string,
          recipient: "b@y.test",
          destination: "y.test",
          attempt: 0,
          notify: null,
          originalRecipient: null,
          retryAskedAt: null,
        },
      ],
    },
  ]);
});

test("leases due rows, longest waiting first, and skips busy destinations", async () => {
  const second = await accept("a@x.test");
  const first = await accept("a@x.test");
  await accept("a@busy.test");
  await change(sql`next_attempt_at = now() - case message_id
    when ${first} then interval '2 hours' else interval '1 hour' end`);
  await anAcceptedMessage({ companyId, to: [{ address: "held@x.test", isHeld: true }] });
  const settled = await accept("settled@x.test");
  await db().execute(
    sql`update message_recipients set state = 'delivered' where message_id = ${settled}`,
  );
  const later = await accept("later@x.test");
  await db().execute(sql`update message_recipients
    set next_attempt_at = now() + interval '1 hour' where message_id = ${later}`);

  const leased = await lease(randomUUID(), { busy: [allTo("busy.test")] });
  expect(leased.map(({ id }) => id)).toEqual([first, second]);
});

test("never leases a row to two workers, and leases expired leases first", async () => {
  await Promise.all(Array.from({ length: 200 }, (_, i) => accept(`r${i}@x.test`)));
  const batches = await Promise.all([1, 2, 3, 4].map(() => lease(randomUUID(), { limit: 60 })));
  const rows = batches.flatMap(rowsIn);
  expect(new Set(rows).size).toBe(rows.length);
  expect(rows.length + rowsIn(await lease()).length).toBe(200);

  const [lost] = rowsIn(batches[0]!);
  await db().execute(sql`update message_recipients
    set lease_until = now() - interval '1 second' where id = ${lost}::bigint`);
  expect(rowsIn(await lease())).toEqual([lost]);
});

test("stays within its limits, which are separate for large messages", async () => {
  await Promise.all(Array.from({ length: 6 }, (_, i) => accept(`r${i}@x.test`)));
  await db().execute(sql`update messages set size = ${20 * MB}`);
  await accept("small@x.test");

  const sizes = (await lease()).map(({ size }) => size);
  expect(sizes.filter((size) => size > MB)).toHaveLength(3);
  expect(sizes).toHaveLength(4);
  expect(await lease(randomUUID(), { room: { light: 0, heavy: 0 } })).toEqual([]);
});

describe("companies", () => {
  const countByCompany = (leased: LeasedMessage[]) =>
    leased.map(({ companyId, recipients }) => [companyId, recipients.length] as const);

  test("share a lease equally, and leave what they don't need to the others", async () => {
    const [small, tiny] = [(await aCompany()).id, (await aCompany()).id];
    await queueMany(300);
    await queueMany(100, "x.test", small);
    await anAcceptedMessage({ companyId: tiny, to: ["me@mine.test"] });
    const leased = countByCompany(await lease(randomUUID(), { limit: 120 }));
    const counts = new Map(leased);
    expect(counts.get(tiny)).toBe(1);
    // The rest goes to those due longest.
    for (const id of [companyId, small]) expect(counts.get(id)).toBeGreaterThanOrEqual(40);
    expect(counts.get(companyId)! + counts.get(small)!).toBe(119);
    // Nor does it wait behind them in the worker.
    expect(leased.findIndex(([id]) => id === tiny)).toBeLessThan(3);
  });

  test("take turns if there are more than share one lease", async () => {
    await queueMany(200);
    await db().execute(sql`update message_recipients set company_id = gen_random_uuid()
      where id in (select id from message_recipients order by id limit 100)`);
    const turn = firstTurn();
    const leasedCompanies = async () => {
      await lease(randomUUID(), { limit: 64, turn });
      const [row] = await db().execute<{ count: number }>(sql`
        select count(distinct company_id)::int as count from message_recipients where lease_until is not null`);
      return row!.count;
    };
    expect(await leasedCompanies()).toBe(64);
    expect(await leasedCompanies()).toBe(101);
  });

  test("wait for a busy destination one by one", async () => {
    const other = (await aCompany()).id;
    await queueMany(2, "busy.test");
    await anAcceptedMessage({ companyId: other, to: ["me@busy.test"] });
    const busy = [{ destination: "busy.test", companies: [companyId] }];
    expect(countByCompany(await lease(randomUUID(), { busy }))).toEqual([[other, 1]]);
  });
});

describe("a lease", () => {
  const rowsRead = (onDb: Db, request = {}) =>
    countRowsRead(onDb, "message_recipients", (tx) =>
      leaseDueMessages(tx, { owner: randomUUID(), limit: 10, room, ...request }),
    );

  test("doesn't scan the whole queue with a plan made while it was empty", async () => {
    const connection = connect(config().databaseUrl!, { max: 1 });
    try {
      await db().execute(sql`vacuum analyze message_recipients`);
      for (let i = 0; i < 8; i++)
        await leaseDueMessages(connection.db, { owner: randomUUID(), limit: 10, room });
      await queueMany(3_000);
      const read = await rowsRead(connection.db);
      expect(read.byScan).toBe(0);
      expect(read.byIndex).toBeLessThan(300);
    } finally {
      await connection.close();
    }
  });

  test("reads a limited number of skipped rows, whatever the planner's statistics say", async () => {
    await queueMany(60 * READ_MAX, "busy.test");
    const behind = (await aCompany()).id;
    await anAcceptedMessage({ companyId: behind, to: ["me@free.test"] });
    await db().execute(sql`vacuum analyze message_recipients`);
    const busy = [allTo("busy.test")];
    const read = await rowsRead(db(), { busy, readsAll: false });
    expect(read.byScan).toBe(0);
    expect(read.byIndex).toBeLessThan(1.1 * READ_MAX);
  });

  test("finds mail behind any number of skipped rows of its company only if it reads all", async () => {
    await queueMany(READ_MAX + 1, "busy.test");
    const behind = await accept("me@free.test");
    const busy = [allTo("busy.test")];
    expect(await lease(randomUUID(), { busy, readsAll: false })).toEqual([]);
    expect((await lease(randomUUID(), { busy })).map(({ id }) => id)).toEqual([behind]);
  });
});

test("only the owner can renew and release a lease, and leased rows count as waiting", async () => {
  await accept("a@x.test", "b@x.test");
  const owner = randomUUID();
  const rows = rowsIn(await lease(owner));
  const queue = "message_recipients";

  expect(await renewLeases(db(), randomUUID(), rows, queue)).toEqual([]);
  expect((await renewLeases(db(), owner, rows, queue)).toSorted()).toEqual(rows.toSorted());
  expect(await getQueueDepth(db())).toEqual({ waiting: 2, due: 0, oldestDueSeconds: null });

  await releaseLeases(db(), randomUUID(), rows, { queue });
  expect(await lease()).toEqual([]);
  await releaseLeases(db(), owner, rows, { queue });
  await change(sql`next_attempt_at = now() - interval '90 seconds'`);
  const depth = await getQueueDepth(db());
  expect(depth).toMatchObject({ waiting: 2, due: 2 });
  expect(depth.oldestDueSeconds).toBeGreaterThanOrEqual(90);
  expect(rowsIn(await lease())).toHaveLength(2);
});
