import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";

import { emailEvents, emails, messageRecipients, messages, outbox } from "#drizzle/schema/index.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { messagePumps } from "#server/testing/message-pump.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import { aSender, historyOf, queuedEmails } from "#server/testing/queued-emails.ts";
import type { WarmUpMail } from "#worker/delivery/warm-up.ts";

const { aSink, aCarrier } = outsideMail();
const pumps = messagePumps();
afterEach(async () => {
  for (const table of [emails, messages]) await db().delete(table);
});

const DAY_MS = 86_400_000;
const MESSAGE = "Warm-up: This server is new. Next attempt: tomorrow";
const until = (condition: () => Promise<void>) => vi.waitFor(condition, { timeout: 40_000 });
const makeDue = async () => {
  await db().execute(sql`update outbox set next_attempt_at = clock_timestamp()`);
  await db().execute(sql`update message_recipients set next_attempt_at = clock_timestamp()`);
  wakePump(db());
  wakeMessages(db());
};
/** Whether the row waits for at least this long. */
const waitsFor = (hours: number) => sql`lease_until is null
  and next_attempt_at > clock_timestamp() + make_interval(hours => ${hours})`;

test("mail waits for the warm-up without attempts, as long as it takes, and is delivered then", async () => {
  for (const table of [emails, messages]) await db().delete(table);
  const quota = { isFull: true };
  const asked: WarmUpMail[] = [];
  const sink = await aSink();
  const carrier = await aCarrier(sink, {
    warmUp: {
      admit: (mail) => {
        asked.push(mail);
        if (!quota.isFull) return null;
        const retryAt = Date.now() + DAY_MS;
        return Promise.resolve({
          result: "delayed",
          dsn: "4.3.0",
          message: MESSAGE,
          suppress: false,
          notAttempted: "warm_up",
          retryAt,
        });
      },
      putBack: () => undefined,
    },
  });
  const sender = await aSender();
  const [id] = await queuedEmails(sender, [["ann@there.test"]]);
  const { companyId } = sender;
  await anAcceptedMessage({
    companyId,
    isSenderTold: false,
    sender: `me@${sender.name}`,
    to: ["bob@there.test"],
  });
  await db().execute(sql`update outbox set priority = 1`);
  await pumps.start({ carrier });
  const bothWait = async () => {
    expect(await db().$count(outbox, waitsFor(23))).toBe(1);
    // Senders are notified of the delay after four hours, with an attempt.
    expect(await db().$count(messageRecipients, waitsFor(3))).toBe(1);
  };
  await until(bothWait);
  expect(asked.map(({ domain, isBatch }) => [domain, isBatch]).toSorted()).toEqual(
    [
      [null, false],
      [sender.name, true],
    ].toSorted(),
  );
  expect(await historyOf(id!)).toEqual(["sent", "delivery_delayed ann@there.test"]);
  const [event] = await db()
    .select({ message: emailEvents.message })
    .from(emailEvents)
    .where(eq(emailEvents.type, "delivery_delayed"));
  expect(event!.message).toBe(MESSAGE);

  // Six days later.
  for (const table of ["outbox", "message_recipients"])
    await db().execute(sql`update ${sql.identifier(table)}
      set created_at = created_at - interval '6 days', retries_from = retries_from - interval '6 days'`);
  await makeDue();
  await until(bothWait);
  expect(await db().$count(outbox, eq(outbox.attempt, 0))).toBe(1);
  expect(await db().$count(messageRecipients, eq(messageRecipients.attempt, 0))).toBe(1);
  expect(sink.connections.opened).toBe(0);

  // The retry hours count from the end of the wait.
  quota.isFull = false;
  await db().execute(sql`update outbox set retries_from = clock_timestamp()`);
  await makeDue();
  await until(async () => {
    expect((await historyOf(id!)).at(-1)).toBe("delivered ann@there.test");
    expect(await db().$count(messageRecipients, sql`state = 'delivered'`)).toBe(1);
  });
});
