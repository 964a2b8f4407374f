import { setTimeout as wait } from "node:timers/promises";

import { expect, test, vi } from "vitest";

import type { DovecotSettings } from "./settings.ts";
import { watchHealth } from "./watch-health.ts";
import { aFreePort } from "#server/testing/a-free-port.ts";

const PATIENCE = { everyMs: 5, answerWithinMs: 1_000, missedForSilent: 2, missedForKill: 4 };

/** Watches a Dovecot that never responds. */
async function watchSilence(pid: () => number | null, hasDatabase: boolean) {
  const settings = {
    dataFolder: "/nonexistent",
    bind: "127.0.0.1",
    ports: { imap: await aFreePort() },
  } as DovecotSettings;
  const onSilent = vi.fn();
  const watch = watchHealth(settings, {
    pid,
    onSilent,
    patience: PATIENCE,
    hasDatabase: () => Promise.resolve(hasDatabase),
  });
  return { watch, onSilent };
}

test("a Dovecot killed for not responding counts as down until it responds", async () => {
  const { watch, onSilent } = await watchSilence(() => 1, true);
  await vi.waitFor(() => expect(onSilent).toHaveBeenCalled());
  const seen = new Set<boolean>();
  while (onSilent.mock.calls.length < 4) {
    seen.add(watch.isAnswering());
    await wait(1);
  }
  watch.stop();
  expect([...seen]).toEqual([false]);
});

test("a restarted Dovecot gets the full timeout, however long it was down", async () => {
  let isRunning = false;
  const { watch, onSilent } = await watchSilence(() => (isRunning ? 2 : null), true);
  await wait(200);
  isRunning = true;
  const startedAt = performance.now();
  await vi.waitFor(() => expect(onSilent).toHaveBeenCalled(), { interval: 1 });
  watch.stop();
  expect(performance.now() - startedAt).toBeGreaterThan(3 * PATIENCE.everyMs);
});

test("Dovecot is not killed while the database doesn't respond", async () => {
  const { watch, onSilent } = await watchSilence(() => 1, false);
  await wait(500);
  watch.stop();
  expect(watch.isAnswering()).toBe(false);
  expect(onSilent).not.toHaveBeenCalled();
});
