import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { BatchWriter } from "./batch-writer.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

/** A writer whose writes succeed, fail or, if `hold` is set, wait for `release`. */
function aWriter({ waitingMax }: { waitingMax?: number } = {}) {
  const state = { isBroken: false, held: null as PromiseWithResolvers<void> | null };
  const batches: number[][] = [];
  const seen: string[] = [];
  const writer = new BatchWriter<number>({
    write: async (batch) => {
      await state.held?.promise;
      if (state.isBroken) throw new Error("down");
      batches.push(batch);
    },
    batchMax: 4,
    flushAt: 3,
    flushAfterMs: 100,
    waitingMax: waitingMax ?? 1_000,
    retryMs: (failures) => failures * 1_000,
    onFailing: (error, batch) => seen.push(`${(error as Error).message}: ${batch.join()}`),
    onRecovered: () => seen.push("recovered"),
    onDropping: () => seen.push("dropping"),
  });
  return { writer, state, batches, seen };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test("writes a few items after a time", async () => {
  const { writer, batches } = aWriter();
  writer.add([1]);
  await vi.advanceTimersByTimeAsync(60);
  writer.add([2]);
  await vi.advanceTimersByTimeAsync(39);
  expect(batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(batches).toEqual([[1, 2]]);
});

test("writes many items at once, in batches of a limited size", async () => {
  const { writer, batches } = aWriter();
  writer.add([1, 2, 3, 4, 5]);
  await settle();
  expect(batches).toEqual([[1, 2, 3, 4], [5]]);
});

test("items that arrive during a write follow it without a delay", async () => {
  const { writer, batches, state } = aWriter();
  state.held = Promise.withResolvers();
  writer.add([1, 2, 3]);
  writer.add([4]);
  await settle();
  expect(batches).toEqual([]);
  state.held.resolve();
  await settle();
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test("flushing writes everything, including a batch that is being written", async () => {
  const { writer, batches, state } = aWriter();
  state.held = Promise.withResolvers();
  writer.add([1, 2, 3]);
  const flushing = writer.flush();
  writer.add([4]);
  state.held.resolve();
  await flushing;
  expect(batches.flat()).toEqual([1, 2, 3, 4]);
});

test("a failed batch is retried in order, on its own, and reported once", async () => {
  const { writer, batches, state, seen } = aWriter();
  state.isBroken = true;
  writer.add([1, 2, 3]);
  await settle();
  expect(writer.failing).toBe(true);
  writer.add([4, 5, 6]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen).toEqual(["down: 1,2,3"]);
  state.isBroken = false;
  await vi.advanceTimersByTimeAsync(1_999);
  expect(batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(batches).toEqual([
    [1, 2, 3, 4],
    [5, 6],
  ]);
  expect(seen).toEqual(["down: 1,2,3", "recovered"]);
  expect(writer.failing).toBe(false);
});

test("flushing gives up when a write fails; draining goes on until everything is written", async () => {
  const { writer, batches, state } = aWriter();
  state.isBroken = true;
  writer.add([1]);
  await writer.flush();
  expect(batches).toEqual([]);
  let isDrained = false;
  const draining = writer.drain().then(() => (isDrained = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isDrained).toBe(false);
  state.isBroken = false;
  await vi.advanceTimersByTimeAsync(5_000);
  await draining;
  expect(batches).toEqual([[1]]);
});

test("drops the oldest items beyond the limit, also after a failed write, and reports it once", async () => {
  const { writer, batches, state, seen } = aWriter({ waitingMax: 3 });
  state.isBroken = true;
  writer.add([1, 2]);
  await writer.flush();
  state.held = Promise.withResolvers();
  const flushing = writer.flush();
  await settle();
  writer.add([3, 4]);
  state.held.resolve();
  await flushing;
  writer.add([5]);
  state.isBroken = false;
  await writer.flush();
  expect(batches).toEqual([[3, 4, 5]]);
  expect(seen).toEqual(["down: 1,2", "dropping", "recovered"]);
  state.isBroken = true;
  writer.add([6, 7, 8, 9]);
  expect(seen.at(-1)).toBe("dropping");
});
