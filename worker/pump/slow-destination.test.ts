import { afterEach, expect, test, vi } from "vitest";

import { emails, outbox } from "#drizzle/schema/index.ts";
import { PRIORITIES, wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { db } from "#server/db/pool.ts";
import { messagePumps } from "#server/testing/message-pump.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

const { aSink, aCarrier } = outsideMail();
const pumps = messagePumps();
afterEach(async () => {
  await db().delete(emails);
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
