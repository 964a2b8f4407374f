import { expect, test, vi } from "vitest";

import type { Db } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
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

test("does not cache a failed check", async () => {
  const away = { execute: () => Promise.reject(new Error("away")) } as unknown as Db;
  await expect(acceptanceBlocker(away)).rejects.toThrow("away");
  await expect(acceptanceBlocker(db())).resolves.toBeNull();
});
