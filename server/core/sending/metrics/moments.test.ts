import fc from "fast-check";
import { expect, test } from "vitest";

import { findTimeZone, parseMoment } from "./moments.ts";

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
