import { expect, test } from "vitest";

import { findZone } from "./find-zone.ts";

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
  expect(findZone(name)).toBe(shown);
});

test.each([
  ...["", " ", "Mars/Olympus", "Europe", "Europe/Berlin ", "Europe/Berlin\n", "Europe/"],
  ...[
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
  ],
  ...["+02:00", "-0500", "+2", "UTC+2", "GMT+1", "GMT0", "05:30"],
  ...["__proto__", "../Europe/Berlin", "Europe/Berlin;", "a".repeat(100_000)],
])("rejects %j", (name) => {
  expect(findZone(name)).toBeNull();
});
