import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { messageDelays, messages } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import {
  aLeasedMessage,
  BUSY,
  leaseMessage,
  recipientsOf,
  REFUSED,
  REPORTING_HOST,
  reports,
} from "#server/testing/leased-messages.ts";

import { holdQueued } from "#server/core/sending/messages/held-messages.ts";
import { recordMessageOutcomes } from "./record-message-outcomes.ts";

beforeEach(async () => {
  await db().delete(messages);
});

test("records each recipient's outcome, only for the lease's owner", async () => {
  const { id, say, owner } = await aLeasedMessage({
    to: ["a@x.test", "b@x.test", "c@x.test"],
    isSenderTold: false,
  });
  const outcomes = say({}, REFUSED, BUSY);

  expect(
    await recordMessageOutcomes(db(), { owner: randomUUID(), hostname: REPORTING_HOST }, outcomes),
  ).toEqual([]);
  expect(
    await recordMessageOutcomes(db(), { owner, hostname: REPORTING_HOST }, outcomes),
  ).toHaveLength(3);
  const [delivered, bounced, delayed] = await recipientsOf(id);
  const settled = {
    leaseUntil: null,
    leaseOwner: null,
    attempt: 0,
    settledAt: expect.any(String) as string,
  };
  expect(delivered).toMatchObject({
    state: "delivered",
    dsn: "2.0.0",
    reply: "250 OK",
    ...settled,
  });
  expect(bounced).toMatchObject({ state: "bounced", dsn: "5.1.1", ...settled });
  expect(delayed).toMatchObject({
    state: "queued",
    attempt: 1,
    dsn: "4.2.1",
    settledAt: null,
    leaseUntil: null,
  });
  expect(Date.parse(delayed!.nextAttemptAt)).toBeGreaterThan(Date.now() + 30_000);
  expect(await reports()).toEqual([]);
});

test("a failure recorded twice, also concurrently, makes one bounce message", async () => {
  const { say, owner } = await aLeasedMessage({ to: ["a@x.test"] });
  const once = () => recordMessageOutcomes(db(), { owner, hostname: REPORTING_HOST }, say(REFUSED));

  const recorded = await Promise.all([once(), once()]);
  expect(recorded.flat()).toHaveLength(1);
  expect(await once()).toEqual([]);
  expect(await reports()).toHaveLength(1);
});

test("delayed mail of a mailbox on hold goes on hold", async () => {
  const { id: companyId } = await aCompany();
  const mailbox = await aMailbox(await aDomain(companyId));
  const id = await anAcceptedMessage({ companyId, sender: mailbox.address, to: ["a@x.test"] });
  const { record } = await leaseMessage(id);
  await db().execute(sql`
    update mailboxes set sending_held_at = now() where address = ${mailbox.address}`);
  expect(await holdQueued({ db: db(), companyId }, mailbox.address)).toBe(0);
  await record(BUSY);

  expect((await recipientsOf(id))[0]).toMatchObject({ state: "held", leaseUntil: null });
});

test("a mailbox that is put on hold concurrently has nothing left in the queue", async () => {
  const { id: companyId } = await aCompany();
  const { address } = await aMailbox(await aDomain(companyId));
  const id = await anAcceptedMessage({ companyId, sender: address, to: ["a@x.test"] });
  const { record } = await leaseMessage(id);
  let recorded: Promise<unknown>;
  await db().transaction(async (tx) => {
    await tx.execute(sql`update mailboxes set sending_held_at = now() where address = ${address}`);
    recorded = record(BUSY);
    await untilWaiting();
    await holdQueued({ db: tx, companyId }, address);
  });
  await recorded!;

  expect((await recipientsOf(id))[0]).toMatchObject({ state: "held" });
});

test.each([
  [0, 1],
  [1, 5],
  [5, 120],
  [20, 360],
])(
  "after %i temporary failures the next attempt is in about %i minutes",
  async (attempt, minutes) => {
    const { id, owner, say } = await aLeasedMessage({ to: ["a@x.test"] });
    const [outcome] = say(BUSY);
    await recordMessageOutcomes(db(), { owner, hostname: "mx" }, [{ ...outcome!, attempt }]);
    const [row] = await db().execute<{ wait: number }>(sql`
    select extract(epoch from next_attempt_at - clock_timestamp())::float8 / 60 as wait
    from message_recipients where message_id = ${id}`);
    // A delay is reported after four hours, so an attempt falls at that time.
    const expected = Math.min(minutes, 240);
    expect(row!.wait).toBeGreaterThan(expected * 0.89);
    expect(row!.wait).toBeLessThan(expected * 1.11);
  },
);

async function untilWaiting() {
  for (;;) {
    const [row] = await db().execute<{ n: number }>(sql`
      select count(*)::int as n from pg_locks where not granted`);
    if (row!.n > 0) return;
  }
}

test("a recipient that waits for its destination keeps its attempts and its last reply", async () => {
  const { id, say, owner } = await aLeasedMessage({ to: ["a@x.test"] });
  const retryAt = Date.now() + 600_000;
  const outcomes = say(BUSY).map((one) => ({ ...one, retryAt, notAttempted: "paced" as const }));
  await recordMessageOutcomes(db(), { owner, hostname: REPORTING_HOST }, outcomes);

  const [recipient] = await recipientsOf(id);
  expect(recipient).toMatchObject({ state: "queued", attempt: 0, leaseUntil: null });
  expect(Math.abs(Date.parse(recipient!.nextAttemptAt) - retryAt)).toBeLessThan(60_000);
  expect(await db().$count(messageDelays, eq(messageDelays.messageId, id))).toBe(0);
});
