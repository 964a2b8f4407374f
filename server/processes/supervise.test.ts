import { expect, test, vi } from "vitest";

import { type Exit, type Run, supervise } from "./supervise.ts";

const died: Exit = { code: 1, signal: null, lastLines: ["out of luck"] };

/** A process that the test can end; like a real one, it also exits when asked to stop. */
function aPart() {
  const lives: { end: () => void }[] = [];
  const start = vi.fn((signal: AbortSignal): Promise<Run> => {
    const { promise: exited, resolve } = Promise.withResolvers<Exit>();
    lives.push({ end: () => resolve(died) });
    signal.addEventListener("abort", () => resolve({ code: 0, signal: null, lastLines: [] }));
    return Promise.resolve({ pid: 1000 + lives.length, exited });
  });
  return { start, endLife: () => lives.at(-1)!.end() };
}

test("restarts a process that keeps dying after 0.5, 1, 2 … and at most 30 seconds", async () => {
  vi.useFakeTimers();
  try {
    const part = aPart();
    const delays: number[] = [];
    const supervised = supervise({
      start: part.start,
      onDown: (_exit, restartInMs) => delays.push(restartInMs),
      onUp: () => {},
    });
    await supervised.started;
    for (let life = 0; life < 8; life++) {
      part.endLife();
      await vi.advanceTimersByTimeAsync(0);
      await vi.advanceTimersByTimeAsync(delays.at(-1)!);
    }
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);

    await vi.advanceTimersByTimeAsync(60_001);
    part.endLife();
    await vi.advanceTimersByTimeAsync(0);
    expect(delays.at(-1)).toBe(500);
    await supervised.stop();
  } finally {
    vi.useRealTimers();
  }
});

test("reports each exit with its cause, and each restart", async () => {
  const part = aPart();
  const told: unknown[] = [];
  const supervised = supervise({
    start: part.start,
    onDown: (exit) => told.push(exit),
    onUp: () => told.push("up"),
  });
  await supervised.started;
  expect(supervised.pid()).toBe(1001);
  part.endLife();
  await vi.waitFor(() => expect(told).toEqual([expect.objectContaining(died), "up"]));
  expect(supervised.pid()).toBe(1002);
  await supervised.stop();
});

test("a stopped process is not restarted, even if a restart was pending", async () => {
  const part = aPart();
  const onDown = vi.fn();
  const supervised = supervise({ start: part.start, onDown, onUp: () => {} });
  await supervised.started;
  part.endLife();
  await vi.waitFor(() => expect(onDown.mock.calls).toHaveLength(1));
  await supervised.stop();
  expect(part.start.mock.calls).toHaveLength(1);
  expect(supervised.pid()).toBeNull();
});

test("a failed first start is reported and not repeated", async () => {
  const start = vi.fn(() => Promise.reject(new Error("no room")));
  const supervised = supervise({ start, onDown: () => {}, onUp: () => {} });
  await expect(supervised.started).rejects.toThrow("no room");
  await supervised.stop();
  expect(start.mock.calls).toHaveLength(1);
});
