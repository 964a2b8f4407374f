import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { trimMemoryWhenIdle } from "./trim-memory.ts";

const MB = 1024 ** 2;

let heap: number;
let utilization: number;
let collections: number;
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  heap = 200 * MB;
  utilization = 0;
  collections = 0;
  stop = trimMemoryWhenIdle({
    utilization: () => utilization,
    heapBytes: () => heap,
    collect() {
      collections++;
      heap = 30 * MB;
    },
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);

test("collects once after the start, when the process is idle", () => {
  utilization = 0.9;
  pass(60);
  expect(collections).toBe(0);
  utilization = 0.01;
  pass(5);
  expect(collections).toBe(0);
  pass(5);
  expect(collections).toBe(1);
  pass(600);
  expect(collections).toBe(1);
});

test("collects again after peak load left memory behind", () => {
  pass(10);
  heap += 7 * MB;
  pass(60);
  expect(collections).toBe(1);
  utilization = 0.5;
  heap += 50 * MB;
  pass(60);
  expect(collections).toBe(1);
  utilization = 0;
  pass(10);
  expect(collections).toBe(2);
});

test("collects at most every 20 seconds", () => {
  stop();
  stop = trimMemoryWhenIdle({
    utilization: () => 0,
    heapBytes: () => (heap += 100 * MB),
    collect: () => collections++,
  });
  pass(120);
  expect(collections).toBe(6);
});
