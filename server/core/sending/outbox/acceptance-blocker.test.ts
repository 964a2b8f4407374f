import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";

import { messageRecipients, outbox } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany } from "#server/testing/factories.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

import { findBlocker, acceptanceBlocker } from "./acceptance-blocker.ts";

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
