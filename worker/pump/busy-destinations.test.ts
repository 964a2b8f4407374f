import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { BusyDestinations } from "./busy-destinations.ts";
import { InFlight } from "./in-flight.ts";
import type { Queued } from "./source.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Nothing is in flight but mail to one destination, which is busy with it. */
function aBusyDestination() {
  const inFlight = new InFlight<Queued>();
  const recipients = Array.from({ length: 700 }, (_, i) => ({
    ...{ rowId: String(i), recipient: `r${i}@large.test` },
    ...{ destination: "large.test", attempt: 0 },
  }));
  inFlight.add([{ id: "1", companyId: "1", size: 1000, recipients }], performance.now());
  return { inFlight, busy: new BusyDestinations(inFlight) };
}

/** A lease query that takes this long. */
function lease(busy: BusyDestinations<Queued>, tookMs: number, isFull = false): string[] {
  const startedAt = performance.now();
  const skipped = busy.toSkip();
  vi.advanceTimersByTime(tookMs);
  busy.afterLease(startedAt, { isFull });
  return skipped;
}

test("a query that read all mail of busy destinations makes the next one wait", () => {
  const { busy } = aBusyDestination();
  expect(lease(busy, 10)).toEqual(["large.test"]);
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

  expect(lease(busy, 10)).toEqual([]);
  expect(busy.pauseMs).toBe(0);
});
