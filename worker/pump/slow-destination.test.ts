import { setTimeout as delay } from "node:timers/promises";

import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";

import { emails, messageRecipients, messages, outbox } from "#drizzle/schema/index.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { PRIORITIES, wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { acceptAll, aScriptedCarrier, messagePumps } from "#server/testing/message-pump.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

const { aSink, aCarrier } = outsideMail();
const pumps = messagePumps();
afterEach(async () => {
  await db().delete(emails);
  await db().delete(messages);
});

test("single emails reach a slow destination while a batch fills its share, from the same company and from others", async () => {
  await db().delete(emails);
  // Slow enough that the batch doesn't end before the test.
  const sink = await aSink({ replyDelayMs: 200 });
  const received = (name: string) =>
    sink.messages.filter(({ recipients }) => recipients[0]!.startsWith(name)).length;
  const large = await aSender();
  await queuedEmails(
    large,
    Array.from({ length: 1_500 }, (_, at) => [`batch${at}@there.test`]),
  );
  await db().update(outbox).set({ priority: PRIORITIES.batch });
  await pumps.start({ carrier: await aCarrier(sink) });
  await vi.waitFor(() => expect(received("batch")).toBeGreaterThan(20), { timeout: 40_000 });

  await queuedEmails(large, [["own@there.test"]]);
  await queuedEmails(await aSender(), [["other@there.test"]]);
  wakePump(db());
  await vi.waitFor(() => expect([received("own"), received("other")]).toEqual([1, 1]), {
    timeout: 40_000,
  });
  expect(received("batch")).toBeLessThan(500);
});

test("a company's mail to thousands of slow servers leaves room for other companies", async () => {
  const { companyId } = await aSender();
  const id = await anAcceptedMessage({ companyId, to: ["r@slow0.test"] });
  await db().execute(sql`
    insert into message_recipients (message_id, company_id, recipient, destination)
    select message_id, company_id, recipient, 'slow' || nth || '.test'
    from message_recipients, generate_series(1, 6000) as nth where message_id = ${id}::uuid`);
  const { carrier, deliveries } = aScriptedCarrier((delivery) =>
    delivery.recipients[0] === "ann@fast.test" ? acceptAll(delivery) : new Promise(() => {}),
  );
  await pumps.start({ carrier });
  let started = -1;
  while (deliveries.length === 0 || deliveries.length > started) {
    started = deliveries.length;
    await delay(2_000);
  }
  const other = await aSender();
  await anAcceptedMessage({ companyId: other.companyId, to: ["ann@fast.test"] });
  wakeMessages(db());
  await vi.waitFor(async () => {
    expect(await db().$count(messageRecipients, sql`state = 'delivered'`)).toBe(1);
  });
  expect(started).toBeGreaterThan(1_000);
});
