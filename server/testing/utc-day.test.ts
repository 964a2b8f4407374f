import { afterEach, expect, test, vi } from "vitest";

import { waitOutMidnight } from "./utc-day.ts";

afterEach(() => void vi.useRealTimers());

test.each([
  ["2026-02-28T23:59:40.000Z", "2026-03-01T00:00:00.000Z"],
  ["2026-02-28T23:59:00.000Z", "2026-02-28T23:59:00.000Z"],
  ["2026-03-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
])("a test that would start at %s starts at %s", async (now, expected) => {
  vi.useFakeTimers({ now: new Date(now) });
  const waiting = waitOutMidnight();
  await vi.runAllTimersAsync();
  await waiting;
  expect(new Date().toISOString()).toBe(expected);
});
