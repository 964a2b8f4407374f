import { describe, expect, test } from "vitest";

import { parseMoment } from "#server/core/sending/metrics/parse-moment.ts";
import { resolveRange } from "./resolve-range.ts";

const NOW = "2026-11-21T10:00:00.000Z";

function resolved(start: string | null, end: string | null, zone = "UTC", now = NOW): string[] {
  const range = resolveRange(new Date(now), {
    start: start === null ? null : parseMoment(start),
    end: end === null ? null : parseMoment(end),
    zone,
  });
  return [range.start, range.end].map((instant) => new Date(instant).toISOString());
}

describe("the range", () => {
  test("is the last seven days by default", () => {
    expect(resolved(null, null)).toEqual(["2026-11-14T10:00:00.000Z", NOW]);
  });

  test("starts seven days before a given end", () => {
    expect(resolved(null, "2026-06-10T12:00:00Z")).toEqual([
      "2026-06-03T12:00:00.000Z",
      "2026-06-10T12:00:00.000Z",
    ]);
  });

  test("includes its first and last date, in UTC by default", () => {
    expect(resolved("2026-06-01", "2026-06-01")).toEqual([
      "2026-06-01T00:00:00.000Z",
      "2026-06-01T23:59:59.999Z",
    ]);
  });

  test.each([
    ["Asia/Kolkata", "2026-05-31T18:30:00.000Z", "2026-06-30T18:29:59.999Z"],
    ["Asia/Kathmandu", "2026-05-31T18:15:00.000Z", "2026-06-30T18:14:59.999Z"],
    ["Australia/Lord_Howe", "2026-05-31T13:30:00.000Z", "2026-06-30T13:29:59.999Z"],
    ["America/New_York", "2026-06-01T04:00:00.000Z", "2026-07-01T03:59:59.999Z"],
    ["Pacific/Kiritimati", "2026-05-31T10:00:00.000Z", "2026-06-30T09:59:59.999Z"],
  ])("interprets dates and local times in %s", (zone, start, end) => {
    expect(resolved("2026-06-01", "2026-06-30", zone)).toEqual([start, end]);
    expect(resolved("2026-06-01T00:00", "2026-06-30T23:59:59.999", zone)).toEqual([start, end]);
  });

  test("takes an instant as it is, whatever the zone", () => {
    const range = ["2026-06-01T00:00:00.000Z", "2026-06-01T10:00:00.000Z"];
    expect(resolved("2026-06-01T02:00:00+02:00", range[1]!, "Asia/Tokyo")).toEqual(range);
  });

  test.each([
    ["of 23 hours", "2026-03-29", "2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z"],
    ["of 25 hours", "2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T22:59:59.999Z"],
  ])("of one day %s is that whole day", (_, day, start, end) => {
    expect(resolved(day, day, "Europe/Berlin")).toEqual([start, end]);
  });

  test("starts at the first instant of a day whose midnight is skipped", () => {
    // Beirut, 2026-03-29: from 23:59:59 (+2) to 01:00:00 (+3).
    expect(resolved("2026-03-29", "2026-03-29", "Asia/Beirut")).toEqual([
      "2026-03-28T22:00:00.000Z",
      "2026-03-29T20:59:59.999Z",
    ]);
  });

  test("uses the first of a repeated local time, and the clock change for a skipped one", () => {
    expect(resolved("2026-03-29T02:30", "2026-10-25T02:30", "Europe/Berlin")).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-10-25T00:30:00.000Z",
    ]);
  });

  test.each(["2026-11-21", "2026-11-22", "2026-11-21T10:00:01Z", "2999-12-31"])(
    "ends now when the end is %s",
    (end) => {
      expect(resolved("2026-11-01", end)[1]).toBe(NOW);
    },
  );

  test("ends in the past even if the zone's date is ahead of UTC's", () => {
    expect(resolved(null, "2026-11-22", "Pacific/Kiritimati", NOW)[1]).toBe(NOW);
    expect(resolved(null, "2026-11-21", "Pacific/Kiritimati", NOW)[1]).toBe(
      "2026-11-21T09:59:59.999Z",
    );
  });

  test("may be a single instant", () => {
    const instant = "2026-06-01T00:00:00.000Z";
    expect(resolved(instant, instant)).toEqual([instant, instant]);
  });

  test.each([
    ["2026-06-02", "2026-06-01"],
    ["2026-06-01T00:00:00.001Z", "2026-06-01T00:00:00Z"],
    ["2026-11-22", null],
    ["2026-11-22", "2026-11-23"],
  ])("is rejected if it starts after its end or after now: %s to %s", (start, end) => {
    expect(() => resolved(start, end)).toThrow(/^start_date is after end_date/);
  });

  test("may be 366 days", () => {
    expect(resolved("2025-06-01", "2026-06-01")[0]).toBe("2025-06-01T00:00:00.000Z");
    expect(resolved("2025-06-01T07:00:00Z", "2026-06-02T07:00:00Z")[1]).toBe(
      "2026-06-02T07:00:00.000Z",
    );
  });

  test("may be 366 days of which one has 25 hours", () => {
    expect(resolved("2025-10-26", "2026-10-26", "Europe/Berlin")).toEqual([
      "2025-10-25T22:00:00.000Z",
      "2026-10-26T22:59:59.999Z",
    ]);
  });

  test.each([
    ["2025-06-01", "2026-06-02", "UTC"],
    ["2025-06-01T07:00:00Z", "2026-06-02T07:00:00.001Z", "UTC"],
    ["2025-10-26", "2026-10-27", "Europe/Berlin"],
    ["2025-10-25T22:00:00Z", "2026-10-26T23:00:00.001Z", "Europe/Berlin"],
    ["1000-01-01", null, "Europe/Berlin"],
  ])("is rejected if it is over 366 days: %s to %s in %s", (start, end, zone) => {
    expect(() => resolved(start, end, zone)).toThrow("longer than 366 days");
  });
});
