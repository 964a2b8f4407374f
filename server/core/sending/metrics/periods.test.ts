import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { GRANULARITIES, type Granularity } from "./metric-names.ts";
import { findTimeZone, listPeriods, parseMoment, resolveRange } from "./periods.ts";

const noon = Date.UTC(2026, 0, 31, 12);

test.each([
  ["2026-01-31", { kind: "date", local: Date.UTC(2026, 0, 31) }],
  ["2024-02-29", { kind: "date", local: Date.UTC(2024, 1, 29) }],
  ["2026-01-31T12:00", { kind: "local", local: noon }],
  ["2026-01-31t12:00:00", { kind: "local", local: noon }],
  ["2026-01-31 12:00:00", { kind: "local", local: noon }],
  ["2026-01-31T12:00:00.5", { kind: "local", local: noon + 500 }],
  ["2026-01-31T12:00:00Z", { kind: "instant", instant: noon }],
  ["2026-01-31T12:00:00.123456z", { kind: "instant", instant: noon + 123 }],
  ["2026-01-31T17:45+05:45", { kind: "instant", instant: noon }],
  ["2026-01-31T08:30:00-0330", { kind: "instant", instant: noon }],
  ["2026-02-01T00:00:00+12:00", { kind: "instant", instant: noon }],
])("parses %s as %o", (text, moment) => {
  expect(parseMoment(text)).toEqual(moment);
});

test.each([
  "",
  "today",
  "2026",
  "2026-01",
  "2026-1-5",
  "20260131",
  "31.01.2026",
  "1769860800",
  "2026-02-30",
  "2025-02-29",
  "2026-00-10",
  "2026-13-01",
  "2026-04-31",
  "2026-01-00",
  "2026-01-31T24:00",
  "2026-01-31T12",
  "2026-01-31T12:60",
  "2026-01-31T12:00:60",
  "2026-01-31T12:00:00 02:00",
  "2026-01-31Z",
  "2026-01-31+02:00",
  "2026-01-31T12:00+24:00",
  "2026-01-31T12:00:00,5",
  "2026-01-31T12:00:00Z\n",
  " 2026-01-31",
  "2026-02-30T12:00:00Z",
  "0000-01-01",
  "+002026-01-31",
  "9999-12-31",
  "2026-01-31T12:00:00.0000000001Z",
])("rejects %j", (text) => {
  expect(parseMoment(text)).toBeNull();
});

test("parses a formatted instant as the original", () => {
  const date = fc.date({
    min: new Date("1000-01-01"),
    max: new Date("2999-12-31"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(date, (date) => {
      expect(parseMoment(date.toISOString())).toEqual({ kind: "instant", instant: date.getTime() });
    }),
  );
});

test.each([
  ["UTC", "UTC"],
  ["utc", "UTC"],
  ["Etc/UTC", "Etc/UTC"],
  ["Europe/Berlin", "Europe/Berlin"],
  ["europe/berlin", "Europe/Berlin"],
  ["AMERICA/PORT_OF_SPAIN", "America/Port_of_Spain"],
  ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["Asia/Calcutta", "Asia/Calcutta"],
  ["Europe/Kyiv", "Europe/Kyiv"],
  ["Etc/GMT+5", "Etc/GMT+5"],
  ["Japan", "Japan"],
])("finds the zone %s and returns it as %s", (name, shown) => {
  expect(findTimeZone(name)).toBe(shown);
});

test.each([
  "",
  " ",
  "Mars/Olympus",
  "Europe",
  "Europe/Berlin ",
  "Europe/Berlin\n",
  "Europe/",

  "EST",
  "est",
  "CET",
  "MET",
  "GMT",
  "PST",
  "IST",
  "UCT",
  "Z",
  "PST8PDT",
  "CEST",
  "SystemV/EST5",
  "+02:00",
  "-0500",
  "+2",
  "UTC+2",
  "GMT+1",
  "GMT0",
  "05:30",
  "__proto__",
  "../Europe/Berlin",
  "Europe/Berlin;",
  "a".repeat(100_000),
])("rejects %j", (name) => {
  expect(findTimeZone(name)).toBeNull();
});

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
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "America/St_Johns",
      "Asia/Kathmandu",
      "Australia/Lord_Howe",
      "America/Santiago",
      "America/Nuuk",
      "Africa/Cairo",
      "Asia/Beirut",
      "Pacific/Apia",
      "Africa/Casablanca",
      "Antarctica/Troll",
      "America/Havana",
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
