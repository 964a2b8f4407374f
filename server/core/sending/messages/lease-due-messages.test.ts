import { randomUUID } from "node:crypto";

import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { messages } from "#drizzle/schema/index.ts";
import { getQueueDepth } from "#server/core/sending/outbox/queue-depth.ts";
import { releaseLeases, renewLeases } from "#server/core/sending/outbox/email-leases.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
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
const change = (what: ReturnType<typeof sql>) =>
  db().execute(sql`update message_recipients set ${what}`);

test("returns what delivery needs, with a message's recipients together", async () => {
  const id = await accept("a@x.test", "b@y.test");

  expect(await lease()).toEqual([
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

  const leased = await lease(randomUUID(), { busy: ["busy.test"] });
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

test("only the owner can renew and release a lease, and leased rows count as waiting", async () => {
  await accept("a@x.test", "b@x.test");
  const owner = randomUUID();
  const rows = rowsIn(await lease(owner));
  const queue = "message_recipients";

  expect(await renewLeases(db(), randomUUID(), rows, queue)).toEqual([]);
  expect((await renewLeases(db(), owner, rows, queue)).toSorted()).toEqual(rows.toSorted());
  expect(await getQueueDepth(db())).toEqual({ waiting: 2, due: 0, oldestDueSeconds: null });

  await releaseLeases(db(), randomUUID(), rows, queue);
  expect(await lease()).toEqual([]);
  await releaseLeases(db(), owner, rows, queue);
  await change(sql`next_attempt_at = now() - interval '90 seconds'`);
  const depth = await getQueueDepth(db());
  expect(depth).toMatchObject({ waiting: 2, due: 2 });
  expect(depth.oldestDueSeconds).toBeGreaterThanOrEqual(90);
  expect(rowsIn(await lease())).toHaveLength(2);
});
