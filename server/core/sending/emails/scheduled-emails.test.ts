import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseScheduledAt } from "./scheduled-emails.ts";

const now = new Date("2026-11-21T09:00:00.000Z");
const DAY_MS = 86_400_000;

const inMs = (ms: number) => new Date(now.getTime() + ms);

const read = (text: string) => {
  const result = parseScheduledAt(text, now);
  return "at" in result ? (result.at?.toISOString() ?? "at once") : result.problem;
};

const UNREADABLE = /^must be an ISO 8601 date and time with time zone, or a phrase/;

describe("parses a time with a time zone", () => {
  test.each([
    ["in UTC", "2026-11-22T10:00:00Z", "2026-11-22T10:00:00.000Z"],
    ["with an offset", "2026-11-22T10:00:00+05:30", "2026-11-22T04:30:00.000Z"],
    ["with an offset west", "2026-11-22T10:00:00-03:30", "2026-11-22T13:30:00.000Z"],
    ["with an offset without colon", "2026-11-22T10:00:00+0200", "2026-11-22T08:00:00.000Z"],
    ["with an offset of hours", "2026-11-22T10:00:00-08", "2026-11-22T18:00:00.000Z"],
    ["with an offset of nothing", "2026-11-22T10:00:00-00:00", "2026-11-22T10:00:00.000Z"],
    ["without seconds", "2026-11-22T10:00Z", "2026-11-22T10:00:00.000Z"],
    ["with milliseconds", "2026-11-22T10:00:00.123Z", "2026-11-22T10:00:00.123Z"],
    ["with microseconds", "2026-11-22T10:00:00.123987+00:00", "2026-11-22T10:00:00.123Z"],
    ["with nanoseconds", "2026-11-22T10:00:00.999999999Z", "2026-11-22T10:00:00.999Z"],
    ["with a decimal comma", "2026-11-22T10:00:00,5Z", "2026-11-22T10:00:00.500Z"],
    ["as our own answers write it", "2026-11-22 10:00:00.5+00", "2026-11-22T10:00:00.500Z"],
    ["in small letters", "2026-11-22t10:00:00z", "2026-11-22T10:00:00.000Z"],
    ["with space around", " 2026-11-22T10:00:00Z\n", "2026-11-22T10:00:00.000Z"],
    ["on the last day of a month", "2026-11-30T10:00:00Z", "2026-11-30T10:00:00.000Z"],
  ])("%s", (_, text, at) => {
    expect(read(text)).toBe(at);
  });

  test("accepts 29 February in leap years only", () => {
    const on = (text: string) => parseScheduledAt(text, new Date(`${text.slice(0, 4)}-02-27`));

    expect(on("2028-02-29T10:00:00Z")).toEqual({ at: new Date("2028-02-29T10:00:00Z") });
    expect(on("2027-02-29T10:00:00Z")).toHaveProperty("problem");
  });

  test("parses any time and offset", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5_000, max: 30 * DAY_MS }),
        fc.integer({ min: -1439, max: 1439 }),
        (ms, offset) => {
          const local = new Date(now.getTime() + ms + offset * 60_000).toISOString().slice(0, -1);
          const minutes = Math.abs(offset);
          const zone = [Math.floor(minutes / 60), minutes % 60]
            .map((part) => String(part).padStart(2, "0"))
            .join(":");
          expect(read(`${local}${offset < 0 ? "-" : "+"}${zone}`)).toBe(inMs(ms).toISOString());
        },
      ),
    );
  });
});

describe("parses a phrase", () => {
  const [s, m, h, d] = [1_000, 60_000, 3_600_000, DAY_MS];
  test.each([
    ...["s", "sec", "secs", "second", "seconds"].map((unit) => [unit, s] as const),
    ...["m", "min", "mins", "minute", "minutes"].map((unit) => [unit, m] as const),
    ...["h", "hr", "hrs", "hour", "hours"].map((unit) => [unit, h] as const),
    ...["d", "day", "days"].map((unit) => [unit, d] as const),
  ])("in 7 %s", (unit, ms) => {
    expect(read(`in 7 ${unit}`)).toBe(inMs(7 * ms).toISOString());
  });

  test.each([
    ["in any case", "IN 2 Hours", 2 * h],
    ["with more space", "  in \t 2   hours ", 2 * h],
    ["without a space before the unit", "in 30min", 30 * m],
    ["with a decimal", "in 1.5 hours", 1.5 * h],
    ["with zeros in front", "in 007 days", 7 * d],
    ["up to 30 days", "in 30 days", 30 * d],
    ["of 720 hours", "in 720 hours", 30 * d],
  ])("%s", (_, text, ms) => {
    expect(read(text)).toBe(inMs(ms).toISOString());
  });
});

describe("sends immediately", () => {
  test.each([
    ["now", "2026-11-21T09:00:00Z"],
    ["4.999 seconds ahead", "2026-11-21T09:00:04.999Z"],
    ["a minute ago", "2026-11-21T08:59:00Z"],
    ["in 0 seconds", "in 0 seconds"],
    ["in 4 seconds", "in 4 s"],
  ])("%s", (_, text) => {
    expect(read(text)).toBe("at once");
  });
});

describe("rejects", () => {
  test.each([
    ["nothing", ""],
    ["a date alone", "2026-11-22"],
    ["a month", "2026-11"],
    ["a year", "2026"],
    ["a time alone", "10:00:00Z"],
    ["an hour alone", "2026-11-22T10Z"],
    ["no zone", "2026-11-22T10:00:00"],
    ["a zone by name", "2026-11-22T10:00:00 CET"],
    ["a zone in brackets", "2026-11-22T10:00:00Z[Europe/Berlin]"],
    ["a space before the offset", "2026-11-22T10:00:00 +02:00"],
    ["30 February", "2027-02-30T10:00:00Z"],
    ["31 November", "2026-11-31T10:00:00Z"],
    ["month 0", "2026-00-22T10:00:00Z"],
    ["month 13", "2026-13-22T10:00:00Z"],
    ["day 0", "2026-11-00T10:00:00Z"],
    ["hour 24", "2026-11-22T24:00:00Z"],
    ["minute 60", "2026-11-22T10:60:00Z"],
    ["second 60", "2026-11-22T10:00:60Z"],
    ["an offset of 24 hours", "2026-11-22T10:00:00+24:00"],
    ["an offset of 60 minutes", "2026-11-22T10:00:00+01:60"],
    ["an offset of one digit", "2026-11-22T10:00:00+1"],
    ["a point without a fraction", "2026-11-22T10:00:00.Z"],
    ["a year of two digits", "26-11-22T10:00:00Z"],
    ["a year with sign", "+002026-11-22T10:00:00Z"],
    ["an American date", "11/22/2026 10:00 AM"],
    ["seconds since 1970", "1795341600"],
    ["a mail date", "Sun, 22 Nov 2026 10:00:00 +0000"],
    ["two times", "2026-11-22T10:00:00Z 2026-11-22T10:00:00Z"],
    ["a line behind it", "2026-11-22T10:00:00Z\nBcc: x"],
    ["digits of another script", "٢٠٢٦-١١-٢٢T10:00:00Z"],
    ["tomorrow", "tomorrow at 9am"],
    ["a phrase without in", "2 hours"],
    ["a phrase without a number", "in an hour"],
    ["a phrase without a unit", "in 5"],
    ["a negative number", "in -5 minutes"],
    ["milliseconds", "in 5000 ms"],
    ["weeks", "in 2 weeks"],
    ["a number in letters", "in two hours"],
    ["an exponent", "in 1e3 s"],
    ["ago", "in 5 minutes ago"],
    ["101 characters", `in 2 ${" ".repeat(92)}days`],
  ])("%s", (_, text) => {
    expect(read(text)).toMatch(UNREADABLE);
  });

  test.each([
    ["more than a minute ago", "2026-11-21T08:58:59.999Z", "must not be in the past"],
    ["long ago", "1999-11-21T08:58:59Z", "must not be in the past"],
    ["more than 30 days ahead", "2026-12-21T09:00:00.001Z", "must be at most 30 days ahead"],
    ["31 days ahead", "in 31 days", "must be at most 30 days ahead"],
    ["a huge number", "in 999999999 days", "must be at most 30 days ahead"],
    ["the year 9999", "9999-12-31T23:59:59Z", "must be at most 30 days ahead"],
    ["the year 0", "0000-01-01T00:00:00Z", UNREADABLE],
  ])("%s", (_, text, problem) => {
    expect(read(text)).toMatch(problem);
  });

  test("any other text, without throwing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(read(`x${text}`)).toMatch(UNREADABLE);
      }),
    );
  });
});
