import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { runLoop } from "./run-loop.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

function aCounter() {
  const count = { runs: 0 };
  const run = (): Promise<void> => {
    count.runs++;
    return Promise.resolve();
  };
  return { count, run };
}

/** Lets promises settle without moving the time. */
const settle = () => vi.advanceTimersByTimeAsync(0);

test("repeats with a pause until stopped", async () => {
  const { count, run } = aCounter();
  const loop = runLoop(run, { pauseMs: 100 });
  await settle();
  expect(count.runs).toBe(1);
  await vi.advanceTimersByTimeAsync(99);
  expect(count.runs).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(count.runs).toBe(2);
  await loop.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(count.runs).toBe(2);
});

test("a run can return the next pause", async () => {
  const { count, run } = aCounter();
  const loop = runLoop(() => run().then<number>(() => (count.runs < 3 ? 0 : 500)), {
    pauseMs: 100,
  });
  await settle();
  expect(count.runs).toBe(3);
  await vi.advanceTimersByTimeAsync(499);
  expect(count.runs).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(count.runs).toBe(4);
  await loop.stop();
});

test("can pause before the first run", async () => {
  const { count, run } = aCounter();
  const loop = runLoop(run, { pauseMs: 100, firstPauseMs: 50 });
  await vi.advanceTimersByTimeAsync(49);
  expect(count.runs).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(count.runs).toBe(1);
  await loop.stop();
});

test("runs never overlap, and stopping waits for the current one", async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const { count, run } = aCounter();
  const slow = async () => {
    await run();
    await promise;
  };
  const loop = runLoop(slow, { pauseMs: 10 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(count.runs).toBe(1);
  let isStopped = false;
  const stopping = loop.stop().then(() => (isStopped = true));
  await settle();
  expect(isStopped).toBe(false);
  resolve(undefined);
  await stopping;
  expect(count.runs).toBe(1);
});

test("waking ends the pause, and during a run repeats it", async () => {
  const { count, run } = aCounter();
  const loop = runLoop(run, { pauseMs: 100_000 });
  await settle();
  loop.wake();
  await settle();
  expect(count.runs).toBe(2);
  const again = runLoop(
    async () => {
      await run();
      if (count.runs === 3) again.wake();
    },
    { pauseMs: 100_000 },
  );
  await settle();
  expect(count.runs).toBe(4);
  await Promise.all([loop.stop(), again.stop()]);
});

test("the signal tells a run that the loop is stopping", async () => {
  const loop = runLoop(
    (signal) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
    { pauseMs: 10 },
  );
  await loop.stop();
});

test("goes on after errors, with its own pauses, and reports the recovery once", async () => {
  const outcomes = ["failed", "failed", "fine", "fine", "failed", "fine"];
  const seen: string[] = [];
  const loop = runLoop(
    async () => {
      await Promise.resolve();
      if (outcomes.shift() === "failed") throw new Error("down");
    },
    {
      pauseMs: 100,
      retryMs: (failures) => failures * 1_000,
      onError: (error, failures) => seen.push(`${(error as Error).message} ${failures}`),
      onRecovered: () => seen.push("recovered"),
    },
  );
  await settle();
  expect(seen).toEqual(["down 1"]);
  await vi.advanceTimersByTimeAsync(999);
  expect(seen).toEqual(["down 1"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual(["down 1", "down 2"]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(seen).toEqual(["down 1", "down 2", "recovered"]);
  await vi.advanceTimersByTimeAsync(200 + 1_000);
  expect(seen.slice(3)).toEqual(["down 1", "recovered"]);
  await loop.stop();
});

test("without a handler, an error ends the loop", async () => {
  const loop = runLoop(() => Promise.reject<number>(new Error("down")), { pauseMs: 10 });
  await expect(loop.stop()).rejects.toThrow("down");
});
