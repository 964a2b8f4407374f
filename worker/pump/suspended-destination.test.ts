import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";

import { emailEvents, emails, outbox } from "#drizzle/schema/index.ts";
import { retryNow } from "#server/core/operations/queue/queue.ts";
import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { db } from "#server/db/pool.ts";
import { messagePumps } from "#server/testing/message-pump.ts";
import { anOperator } from "#server/testing/operators.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import { aSender, historyOf, queuedEmails } from "#server/testing/queued-emails.ts";

const { aSink, aCarrier } = outsideMail();
const pumps = messagePumps();
afterEach(async () => {
  await db().delete(emails);
});

const REPLY = "421 4.7.28 Our system has detected an unusual rate of unsolicited mail from your IP";
const COUNT = 40;

const until = (condition: () => Promise<void>) => vi.waitFor(condition, { timeout: 40_000 });
/** Recipients that wait in the queue for half a minute at least. */
const waiting = () =>
  db().$count(
    outbox,
    sql`lease_until is null and next_attempt_at > clock_timestamp() + interval '30 seconds'`,
  );
const makeDue = async () => {
  await db().execute(sql`update outbox set next_attempt_at = clock_timestamp()`);
  wakePump(db());
};

test("recipients of a suspended destination wait without attempts until they expire or are retried", async () => {
  await db().delete(emails);
  const strict = { is: true };
  const sink = await aSink({
    script: ({ verb }) => (strict.is && verb === "DOT" ? { reply: REPLY } : undefined),
  });
  const attempts = () => sink.commands.filter((line) => line.startsWith("MAIL")).length;
  const carrier = await aCarrier(sink, {
    findProvider: () => "big",
    // Long enough for a slow machine.
    shaping: { minuteMs: 600_000 },
  });
  const to = Array.from({ length: COUNT }, (_, at) => [`r${at}@there.test`]);
  const ids = await queuedEmails(await aSender(), to);
  await pumps.start({ carrier });
  await until(async () => expect(await waiting()).toBe(COUNT));

  const made = attempts();
  expect(made).toBeLessThanOrEqual(4);
  expect(await historyOf(ids[0]!)).toEqual(["sent", "delivery_delayed r0@there.test"]);
  const told = await db().select().from(emailEvents).where(eq(emailEvents.dsn, "4.7.28"));
  const others = told.filter(({ message }) => message !== REPLY);
  expect(others.length).toBeGreaterThanOrEqual(COUNT - made);
  expect(others.length).toBeLessThan(COUNT);
  for (const { message } of others)
    expect(message).toMatch(/^there\.test is limiting mail from this server\. Sending is paused/);
  expect(told).toHaveLength(COUNT);

  await db().execute(sql`
    update outbox set created_at = created_at - interval '49 hours' where recipient like 'r0@%'`);
  await makeDue();
  await until(async () => expect(await waiting()).toBe(COUNT - 1));
  expect(attempts()).toBe(made);
  expect(await db().$count(outbox, sql`attempt <> 1`)).toBe(0);
  expect(await historyOf(ids[1]!)).toEqual(["sent", "delivery_delayed r1@there.test"]);
  expect((await historyOf(ids[0]!)).at(-1)).toBe("bounced r0@there.test");

  strict.is = false;
  const subject = { kind: "destination", subject: "there.test" } as const;
  expect(await retryNow(anOperator(), subject)).toBe(COUNT - 1);
  await vi.waitFor(() => expect(sink.messages.length).toBeGreaterThan(0), { timeout: 40_000 });
});
