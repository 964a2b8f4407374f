import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { BusyDestinations } from "./in-flight.ts";
import { InFlight, readClocks } from "./in-flight.ts";
import type { Queued } from "./source.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Nothing is in flight but mail to one destination, which is busy with it. */
function aBusyDestination() {
  const inFlight = new InFlight<Queued>();
  const recipients = Array.from({ length: 700 }, (_, i) => ({
    rowId: String(i),
    recipient: `r${i}@large.test`,
    destination: "large.test",
    attempt: 0,
  }));
  inFlight.add([{ id: "1", companyId: "1", size: 1000, recipients }], readClocks());
  return { inFlight, busy: new BusyDestinations(inFlight) };
}

/** A lease query that takes this long. */
function lease(busy: BusyDestinations<Queued>, tookMs: number, isFull = false) {
  const startedAt = performance.now();
  const { busy: skipped, readsAll } = busy.toSkip();
  vi.advanceTimersByTime(tookMs);
  busy.afterLease(startedAt, { isFull });
  return { skipped: skipped.map(({ destination }) => destination), readsAll };
}

test("a query that read all mail of busy destinations makes the next one wait", () => {
  const { busy } = aBusyDestination();
  expect(lease(busy, 10).skipped).toEqual(["large.test"]);
  expect(busy.pauseMs).toBeCloseTo(40);
  vi.advanceTimersByTime(30);
  expect(busy.pauseMs).toBeCloseTo(10);
  vi.advanceTimersByTime(30);
  expect(busy.pauseMs).toBe(0);

  lease(busy, 1_000);
  expect(busy.pauseMs).toBe(250);
});

test("nothing waits after a full batch, without busy destinations, or once one of them has room", () => {
  const { inFlight, busy } = aBusyDestination();
  lease(busy, 10, true);
  expect(busy.pauseMs).toBe(0);

  lease(busy, 10);
  expect(busy.isFreed).toBe(false);
  inFlight.drop(Array.from({ length: 200 }, (_, i) => String(i)));
  expect(busy.isFreed).toBe(true);
  expect(busy.pauseMs).toBe(0);

  expect(lease(busy, 10)).toEqual({ skipped: [], readsAll: false });
  expect(busy.pauseMs).toBe(0);
});

test("queries that read all skipped mail take a fifth of the time, or half of it while they find enough", () => {
  const { busy } = aBusyDestination();
  expect(lease(busy, 1_000).readsAll).toBe(true);
  expect(lease(busy, 100).readsAll).toBe(false);
  vi.advanceTimersByTime(3_800);
  expect(lease(busy, 100).readsAll).toBe(false);
  expect(lease(busy, 1_000, true).readsAll).toBe(true);
  vi.advanceTimersByTime(999);
  expect(lease(busy, 1).readsAll).toBe(false);
  expect(lease(busy, 1).readsAll).toBe(true);
});

test("a destination is freed for the companies whose single emails waited", () => {
  const inFlight = new InFlight<Queued>();
  const add = (companyId: string, count: number, isBatch: boolean) => {
    const ids = Array.from({ length: count }, (_, i) => `${companyId}${isBatch}${i}`);
    const recipients = ids.map((rowId) => ({
      rowId,
      recipient: "a@large.test",
      destination: "large.test",
      attempt: 0,
    }));
    inFlight.add([{ id: ids[0]!, companyId, size: 1, isBatch, recipients }], readClocks());
    return ids;
  };
  add("large", 700, true);
  const singles = add("small", 30, false);
  const busy = new BusyDestinations(inFlight);
  expect(busy.toSkip().busy).toEqual([{ destination: "large.test", companies: ["small"] }]);
  expect(busy.isFreed).toBe(false);
  const others = add("other", 300, true);
  expect(busy.isFreed).toBe(false);
  inFlight.drop(others);
  inFlight.drop(singles.slice(0, 10));
  expect(busy.isFreed).toBe(true);
  expect(busy.toSkip().busy).toEqual([{ destination: "large.test", companies: [] }]);
});

test("a company is freed once it holds less than is free", () => {
  const inFlight = new InFlight<Queued>();
  const recipients = Array.from({ length: 2_600 }, (_, i) => ({
    rowId: String(i),
    recipient: "a@b.test",
    destination: `${i}.test`,
    attempt: 0,
  }));
  inFlight.add([{ id: "1", companyId: "large", size: 1, recipients }], readClocks());
  const busy = new BusyDestinations(inFlight);
  expect(busy.toSkip()).toMatchObject({ busyCompanies: [{ company: "large" }], readsAll: true });
  busy.afterLease(performance.now() - 10, { isFull: false });
  expect(busy.pauseMs).toBeGreaterThan(0);
  inFlight.drop(recipients.slice(0, 200).map(({ rowId }) => rowId));
  expect(busy.isFreed).toBe(true);
  expect(busy.pauseMs).toBe(0);
});
