import { sql } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";

import { emails, outbox, queueHolds } from "#drizzle/schema/index.ts";
import { hold, release } from "#server/core/operations/queue/holds.ts";
import { db } from "#server/db/pool.ts";
import { messagePumps } from "#server/testing/message-pump.ts";
import { anOperator } from "#server/testing/operators.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

const { aSink, aCarrier } = outsideMail();
const pumps = messagePumps();
const operator = anOperator();

const COUNT = 60;
const recipients = Array.from({ length: COUNT }, (_, i) => [`r${i}@there.test`]);

beforeEach(async () => {
  await db().delete(emails);
  await db().delete(queueHolds);
});

/** A worker that has all emails in memory, for a server that takes 300 ms for each over its one connection. */
async function aWorkerWithWaitingMail() {
  const sender = await aSender();
  await queuedEmails(sender, recipients);
  const sink = await aSink({
    script: ({ verb }) => (verb === "DOT" ? { delayMs: 300 } : undefined),
  });
  const carrier = await aCarrier(sink, { connectionsPerHostMax: 1 });
  await pumps.start({ carrier, pollMs: 200 });
  await vi.waitFor(() => expect(sink.messages.length).toBeGreaterThan(2));
  return { sender, reached: () => sink.messages.flatMap((message) => message.recipients) };
}

test("a worker sends nothing more of what another worker has leased", async () => {
  const { reached } = await aWorkerWithWaitingMail();
  const { count: taken } = await db().execute(sql`
    update outbox set lease_owner = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 hour'`);
  expect(taken).toBeGreaterThan(40);
  // Whether the worker renews its leases in time or not: after 12 seconds it must know.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  const sent = reached().length;
  expect(sent).toBeLessThan(COUNT - 5);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(reached().length).toBe(sent);
  expect(await db().$count(outbox)).toBe(taken);
});

test("a hold reaches mail that already waits for its server, and each recipient gets it once after the release", async () => {
  const { sender, reached } = await aWorkerWithWaitingMail();
  await hold(operator, { kind: "company", subject: sender.companyId, reason: "" });
  const parked = sql`next_attempt_at = 'infinity'`;
  await vi.waitFor(async () => {
    expect(await db().$count(outbox, parked)).toBe(await db().$count(outbox));
  });
  const sent = reached().length;
  expect(sent).toBeLessThan(COUNT - 20);

  await release(operator, { kind: "company", subject: sender.companyId });
  await vi.waitFor(async () => expect(await db().$count(outbox)).toBe(0), { timeout: 60_000 });
  expect(reached().toSorted()).toEqual(recipients.flat().toSorted());
});
