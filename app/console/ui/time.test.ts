import { expect, test } from "vitest";

import { formatRelativeTime } from "./format.ts";

const now = new Date("2026-03-04T12:00:00Z");

test.each([
  ["2026-03-04T11:59:55Z", "just now"],
  ["2026-03-04T11:59:30Z", "30 seconds ago"],
  ["2026-03-04T11:58:01Z", "1 minute ago"],
  ["2026-03-04T09:00:00Z", "3 hours ago"],
  ["2026-03-05T13:00:00Z", "in 1 day"],
  ["2026-02-26T12:00:00Z", "6 days ago"],
])("formats %s as %s", (moment, text) => {
  expect(formatRelativeTime(new Date(moment), now)).toBe(text);
});

test("shows the date in the reader's time zone beyond a week", () => {
  for (const hour of [0, 12, 23])
    expect(formatRelativeTime(new Date(2026, 1, 20, hour), now)).toMatch(/^(Feb 20,|20 Feb) 2026$/);
});
