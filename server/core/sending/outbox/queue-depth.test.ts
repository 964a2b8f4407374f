import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";

import { messageRecipients, outbox } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany } from "#server/testing/factories.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

import {
  acceptanceBlocker,
  findBlocker,
  getOldestDueSeconds,
  getQueueDepth,
} from "./queue-depth.ts";

/** Rows that the connection has read from the queues and not yet reported to the statistics. */
async function rowsRead(tx: Db): Promise<number> {
  const [row] = await tx.execute<{ rows: number }>(sql`
    select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
    where relname in ('outbox', 'message_recipients')`);
  return row!.rows;
}

test("the oldest age is that of the first row of any queue, and reads only that", async () => {
  const sender = await aSender();
  const at = (ago: string) => sql`clock_timestamp() - ${ago}::interval`;
  const isSame = async () => {
    const { oldestDueSeconds } = await getQueueDepth(db());
    const probed = await getOldestDueSeconds(db());
    expect(probed === null).toBe(oldestDueSeconds === null);
    expect(Math.abs((probed ?? 0) - (oldestDueSeconds ?? 0))).toBeLessThan(5);
  };
  await isSame();
  const to = Array.from({ length: 2_000 }, (_, i) => [`r${i}@a.example`]);
  await queuedEmails(sender, to, { due: at("-1 hour") });
  await isSame();
  await queuedEmails(sender, [["held@a.example"]], { due: sql`'infinity'::timestamptz` });
  await queuedEmails(sender, to, { due: at("10 minutes") });
  await isSame();
  await db().execute(sql`update outbox set lease_until = ${at("20 minutes")}
    where recipient = 'r7@a.example'`);
  await isSame();
  const { companyId } = sender;
  await anAcceptedMessage({ companyId, sender: "ann@a.example", to: ["bob@b.example"] });
  await db().execute(sql`update message_recipients set next_attempt_at = ${at("30 minutes")}`);
  await isSame();
  await db().execute(sql`update message_recipients set lease_until = ${at("40 minutes")}`);
  await isSame();
  await db().execute(sql`vacuum analyze outbox`);

  await db().transaction(async (tx) => {
    const before = await rowsRead(tx);
    await getOldestDueSeconds(tx);
    expect((await rowsRead(tx)) - before).toBeLessThan(10);
  });
});

const roomy = { diskReserveBytes: 0, waitingMax: 1_000_000 };

test("returns null if disk and queue have room", async () => {
  expect(await findBlocker(db(), roomy)).toBeNull();
});

test("rejects mail if free disk space is below the reserve", async () => {
  const full = { ...roomy, diskReserveBytes: Number.MAX_SAFE_INTEGER };
  expect(await findBlocker(db(), full)).toContain(
    "Insufficient storage: the server's disk is nearly full",
  );
});

test("rejects mail if the queue is over its limit", async () => {
  await queuedEmails(await aSender(), [["ann@a.example", "bob@a.example"]]);
  // Postgres updates its statistics a moment later.
  await vi.waitFor(
    async () =>
      expect(await findBlocker(db(), { ...roomy, waitingMax: 1 })).toContain("queue is full"),
    { timeout: 30_000, interval: 200 },
  );
});

test("recipients of messages that wait count too", async () => {
  const { id: companyId } = await aCompany();
  await db().delete(outbox);
  // A connection may report what it deleted much later.
  await db().execute(sql`analyze outbox`);
  await vi.waitFor(
    async () => expect(await findBlocker(db(), { ...roomy, waitingMax: 1 })).toBeNull(),
    { timeout: 30_000, interval: 200 },
  );
  await anAcceptedMessage({ companyId, to: ["ann@a.example", "bob@a.example"] });
  await db().execute(sql`analyze message_recipients`);
  expect(await findBlocker(db(), { ...roomy, waitingMax: 1 })).toContain("queue is full");
  await db().update(messageRecipients).set({ state: "delivered" });
  await db().execute(sql`analyze message_recipients`);
  expect(await findBlocker(db(), { ...roomy, waitingMax: 1 })).toBeNull();
});

test("does not cache a failed check", async () => {
  const away = { execute: () => Promise.reject(new Error("away")) } as unknown as Db;
  await expect(acceptanceBlocker(away)).rejects.toThrow("away");
  await expect(acceptanceBlocker(db())).resolves.toBeNull();
});
