import { expect, test } from "vitest";

import { anyText, day, dayRange, oneOf, parseFilters, timestamp, uuid } from "./url-filters.ts";

const ID = "0198c1a2-3b4c-7d5e-8f60-718293a4b5c6";

const parse = (search: string) =>
  parseFilters(new URLSearchParams(search), {
    search: anyText,
    key: uuid,
    since: timestamp,
    from: day,
    to: day,
    state: oneOf({ active: "Active", suspended: "Suspended" }),
  });

test("reads filters without surrounding spaces", () => {
  expect(parse(`search=+ann+&key=${ID}&since=2026-03-04T10:00:00%2B01:00`)).toEqual({
    search: "ann",
    key: ID,
    since: "2026-03-04T09:00:00.000Z",
  });
  expect(parse("state=suspended&from=2026-03-04")).toEqual({
    state: "suspended",
    from: "2026-03-04",
  });
});

test("ignores unknown, empty and invalid filters", () => {
  const invalid = ["key=1", "since=now", "from=yesterday", "to=2026-13-01", "state=toString"];
  expect(parse(`search=%20&x=y&${invalid.join("&")}`)).toEqual({});
});

test("shortens text to what the server accepts", () => {
  expect(parse(`search=${"a".repeat(300)}`).search).toHaveLength(200);
});

test("dates become timestamps that include both days in full", () => {
  const { from, to } = dayRange({ from: "2026-03-04", to: "2026-03-04" });
  expect(new Date(from!).getHours()).toBe(0);
  expect(new Date(to!).getDate()).toBe(5);
  expect(Date.parse(to!) - Date.parse(from!)).toBeGreaterThan(22 * 3_600_000);
});
