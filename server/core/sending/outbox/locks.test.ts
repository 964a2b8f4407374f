import { randomUUID } from "node:crypto";

import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { messages, outbox } from "#drizzle/schema/index.ts";
import { leaseDueMessages } from "#server/core/sending/messages/lease-due-messages.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { resultOrBlocked, untilBlocked } from "#server/testing/blocked.ts";
import { aQueuedEmail, aSender } from "#server/testing/queued-emails.ts";

import { leaseDueEmails, type LeasedTable, renewLeases } from "./email-leases.ts";
import { recordOutcomes } from "./record-outcomes.ts";

const room = { light: 1e9, heavy: 1e9 };
type Leased = { recipients: { rowId: string; recipient: string }[] }[];
const leases: Record<LeasedTable, (owner: string) => Promise<Leased>> = {
  outbox: (owner: string) => leaseDueEmails(db(), { owner, limit: 500, room }),
  message_recipients: (owner: string) => leaseDueMessages(db(), { owner, limit: 500, room }),
};
const QUEUES: LeasedTable[] = ["outbox", "message_recipients"];

beforeEach(async () => {
  await db().delete(outbox);
  await db().delete(messages);
});

/** Creates two recipients in a queue. */
async function twoRows(queue: LeasedTable) {
  const sender = await aSender();
  if (queue === "outbox") await aQueuedEmail(sender, "held@a.test", "free@a.test");
  else await anAcceptedMessage({ companyId: sender.companyId, to: ["held@a.test", "free@a.test"] });
}

async function leased(queue: LeasedTable) {
  const owner = randomUUID();
  const items = await leases[queue](owner);
  const ids = items.flatMap(({ recipients }) => recipients.map(({ rowId }) => rowId));
  return { owner, ids };
}

const recipientsOf = (items: Leased | "blocked") =>
  items === "blocked"
    ? items
    : items.flatMap(({ recipients }) => recipients.map(({ recipient }) => recipient));

/** Runs `work` while another transaction locks the row of held@a.test. */
const whileHeld = <Result>(queue: LeasedTable, work: () => Promise<Result>) =>
  db().transaction(async (tx) => {
    await tx.execute(
      sql`select from ${sql.identifier(queue)} where recipient = 'held@a.test' for update`,
    );
    return work();
  });

test.each(QUEUES)("leasing from %s skips rows that another worker is leasing", async (queue) => {
  await twoRows(queue);
  const items = await whileHeld(queue, () => resultOrBlocked(leases[queue](randomUUID())));
  expect(recipientsOf(items)).toEqual(["free@a.test"]);
});

test.each(QUEUES)("leasing expired rows from %s skips them too", async (queue) => {
  await twoRows(queue);
  await leased(queue);
  await db().execute(
    sql`update ${sql.identifier(queue)} set lease_until = clock_timestamp() - interval '1 second'`,
  );
  const items = await whileHeld(queue, () => resultOrBlocked(leases[queue](randomUUID())));
  expect(recipientsOf(items)).toEqual(["free@a.test"]);
});

test.each(QUEUES)("renewing leases in %s skips rows that are being settled", async (queue) => {
  await twoRows(queue);
  const { owner, ids } = await leased(queue);
  const renewed = await whileHeld(queue, () =>
    resultOrBlocked(renewLeases(db(), owner, ids, queue)),
  );
  expect(renewed).toEqual([expect.any(String)]);
});

test("an email is locked until its outcomes are committed", async () => {
  const id = await aQueuedEmail(await aSender(), "held@a.test");
  const {
    owner,
    ids: [rowId],
  } = await leased("outbox");
  const outcome = { rowId: rowId!, emailId: id, recipient: "held@a.test", attempt: 0 };
  const delivered = {
    result: "delivered",
    dsn: "2.0.0",
    message: "250 OK",
    suppress: false,
  } as const;
  const isLocked = await whileHeld("outbox", async () => {
    const recorded = recordOutcomes(db(), owner, [{ ...outcome, ...delivered }]);
    // Recording the outcome has locked the email and waits for the row that this test locks.
    await untilBlocked();
    const locked = await db()
      .execute(sql`select from emails where id = ${id} for no key update nowait`)
      .then(
        () => false,
        () => true,
      );
    void recorded.catch(() => null);
    return locked;
  });
  expect(isLocked).toBe(true);
});
