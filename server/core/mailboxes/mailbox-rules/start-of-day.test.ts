import { expect, test } from "vitest";

import { dayAfter, startOfDay } from "./compile-rules.ts";

test.each([
  ["2026-12-24", "UTC", "2026-12-24T00:00:00.000Z"],
  ["2026-12-24", "Europe/Berlin", "2026-12-23T23:00:00.000Z"],
  ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
  ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
  ["2026-10-26", "Europe/Berlin", "2026-10-25T23:00:00.000Z"],
  ["2026-07-01", "America/St_Johns", "2026-07-01T02:30:00.000Z"],
  ["2026-07-01", "Pacific/Kiritimati", "2026-06-30T10:00:00.000Z"],
  ["2026-07-01", "+05:30", "2026-06-30T18:30:00.000Z"],
  // Midnight is skipped there on this day.
  ["2026-04-24", "Africa/Cairo", "2026-04-23T22:00:00.000Z"],
])("%s begins in %s at %s", (day, timeZone, moment) => {
  expect(startOfDay(day, timeZone).toISOString()).toBe(moment);
});

test("rejects unknown zones and days", () => {
  expect(() => startOfDay("2026-12-24", "Europe/Nowhere")).toThrow(RangeError);
  expect(() => startOfDay("2026-02-30", "UTC")).toThrow(RangeError);
});

test("returns the next calendar day", () => {
  expect([dayAfter("2026-12-31"), dayAfter("2028-02-28")]).toEqual(["2027-01-01", "2028-02-29"]);
});
