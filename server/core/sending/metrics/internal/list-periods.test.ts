import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { listPeriods } from "./list-periods.ts";
import { GRANULARITIES, type Granularity } from "#server/core/sending/metrics/metric-names.ts";

function periods(start: string, end: string, zone: string, granularity: Granularity): string[] {
  const range = { start: Date.parse(start), end: Date.parse(end) };
  return listPeriods(range, zone, granularity).map(
    ({ start, label }) => `${label} from ${new Date(start).toISOString().replace(":00.000Z", "Z")}`,
  );
}

describe("periods", () => {
  test("of days start at midnight, the first one at the start of the range", () => {
    expect(periods("2025-12-30T15:00Z", "2026-01-01T00:00Z", "UTC", "daily")).toEqual([
      "2025-12-30 from 2025-12-30T15:00Z",
      "2025-12-31 from 2025-12-31T00:00Z",
      "2026-01-01 from 2026-01-01T00:00Z",
    ]);
  });

  test("of weeks start on Monday, across the end of a year", () => {
    expect(periods("2025-12-28T00:00Z", "2026-01-05T00:00Z", "UTC", "weekly")).toEqual([
      "2025-12-22 from 2025-12-28T00:00Z",
      "2025-12-29 from 2025-12-29T00:00Z",
      "2026-01-05 from 2026-01-05T00:00Z",
    ]);
  });

  test("of months start on the first in the zone's local time", () => {
    expect(periods("2025-12-31T12:00Z", "2026-02-28T16:00Z", "Asia/Tokyo", "monthly")).toEqual([
      "2025-12-01 from 2025-12-31T12:00Z",
      "2026-01-01 from 2025-12-31T15:00Z",
      "2026-02-01 from 2026-01-31T15:00Z",
      "2026-03-01 from 2026-02-28T15:00Z",
    ]);
  });

  test.each([
    ["Asia/Kolkata", "05:00:00 from 2026-06-01T23:30Z", "06:00:00 from 2026-06-02T00:30Z"],
    ["Asia/Kathmandu", "05:00:00 from 2026-06-01T23:30Z", "06:00:00 from 2026-06-02T00:15Z"],
    ["America/St_Johns", "21:00:00 from 2026-06-01T23:30Z", "22:00:00 from 2026-06-02T00:30Z"],
  ])("of hours are full local hours of %s", (zone, ...expected) => {
    const seen = periods("2026-06-01T23:30Z", "2026-06-02T00:45Z", zone, "hourly");
    expect(seen.map((period) => period.slice("2026-06-01T".length))).toEqual(expected);
  });

  test.each([
    ["23 hours", "2026-03-28T23:00Z", "2026-03-29", "2026-03-29T22:00Z"],
    ["25 hours", "2026-10-24T22:00Z", "2026-10-25", "2026-10-25T23:00Z"],
  ])("of days may have %s", (_, start, day, end) => {
    expect(periods(start, end, "Europe/Berlin", "daily")).toEqual([
      `${day} from ${start}`,
      `${day.slice(0, 8)}${Number(day.slice(8)) + 1} from ${end}`,
    ]);
  });

  test("of hours omit the hour skipped by a clock change", () => {
    expect(periods("2026-03-29T00:00Z", "2026-03-29T01:30Z", "Europe/Berlin", "hourly")).toEqual([
      "2026-03-29T01:00:00 from 2026-03-29T00:00Z",
      "2026-03-29T03:00:00 from 2026-03-29T01:00Z",
    ]);
  });

  test("of hours contain both hours that a clock change repeats", () => {
    expect(periods("2026-10-24T23:00Z", "2026-10-25T02:00Z", "Europe/Berlin", "hourly")).toEqual([
      "2026-10-25T01:00:00 from 2026-10-24T23:00Z",
      "2026-10-25T02:00:00 from 2026-10-25T00:00Z",
      "2026-10-25T03:00:00 from 2026-10-25T02:00Z",
    ]);
  });

  test("of hours last 90 and 30 minutes if the clock changes by half an hour", () => {
    const zone = "Australia/Lord_Howe";
    // From 02:00 (+11) to 01:30 (+10:30), and from 02:00 (+10:30) to 02:30 (+11).
    expect(periods("2026-04-04T14:00Z", "2026-04-04T15:30Z", zone, "hourly")).toEqual([
      "2026-04-05T01:00:00 from 2026-04-04T14:00Z",
      "2026-04-05T02:00:00 from 2026-04-04T15:30Z",
    ]);
    expect(periods("2026-10-03T15:00Z", "2026-10-03T16:00Z", zone, "hourly")).toEqual([
      "2026-10-04T01:00:00 from 2026-10-03T15:00Z",
      "2026-10-04T02:00:00 from 2026-10-03T15:30Z",
      "2026-10-04T03:00:00 from 2026-10-03T16:00Z",
    ]);
  });

  test("omit a day that a zone skipped", () => {
    const seen = periods("2011-12-29T12:00Z", "2011-12-30T12:00Z", "Pacific/Apia", "daily");
    expect(seen).toEqual([
      "2011-12-29 from 2011-12-29T12:00Z",
      "2011-12-31 from 2011-12-30T10:00Z",
    ]);
  });

  test("are rejected if there are more than 10,000", () => {
    const range = (hours: number) => ({ start: 0, end: hours * 3_600_000 - 1 });
    expect(listPeriods(range(10_000), "UTC", "hourly")).toHaveLength(10_000);
    expect(() => listPeriods(range(10_001), "UTC", "hourly")).toThrow("more than 10,000 periods");
  });

  test("increase in start and label, and each instant falls into the period of its local time", () => {
    const zone = fc.constantFrom(
      ...["UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Asia/Kathmandu"],
      ...["Australia/Lord_Howe", "America/Santiago", "America/Nuuk", "Africa/Cairo", "Asia/Beirut"],
      ...["Pacific/Apia", "Africa/Casablanca", "Antarctica/Troll", "America/Havana"],
    );
    const instant = fc.integer({ min: Date.UTC(2012, 0), max: Date.UTC(2030, 0) });
    const length = fc.integer({ min: 0, max: 366 * 24 * 3_600_000 });
    const granularity = fc.constantFrom(...GRANULARITIES);
    fc.assert(
      fc.property(
        zone,
        instant,
        length,
        granularity,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (zone, start, length, granularity, at) => {
          const listed = listPeriods({ start, end: start + length }, zone, granularity);
          expect(listed[0]!.start).toBe(start);
          const rises = listed
            .slice(1)
            .every(({ start, label }, i) => start > listed[i]!.start && label > listed[i]!.label);
          expect(rises).toBe(true);
          const meets = listed.every(({ end }, i) => end + 1 === (listed[i + 1]?.start ?? end + 1));
          expect(meets).toBe(true);
          expect(listed.at(-1)!.end).toBe(start + length);
          const probe = Math.floor(start + length * at);
          const found = listed.findLast((period) => period.start <= probe)!;
          expect(found.label).toBe(expectedLabel(zone, probe, granularity));
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Uses only Intl's local time, without arithmetic on offsets. */
function expectedLabel(zone: string, instant: number, granularity: Granularity): string {
  const shown = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  }).format(instant);
  const [date, time] = shown.split(" ") as [string, string];
  if (granularity === "hourly") return `${date}T${time.slice(0, 2)}:00:00`;
  if (granularity === "daily") return date;
  if (granularity === "monthly") return `${date.slice(0, 8)}01`;
  const day = new Date(`${date}T00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
