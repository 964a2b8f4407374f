import { expect, test } from "vitest";

import { fromDateTimeLocal, toDateTimeLocal } from "./datetime-local.ts";

test("a timestamp survives the round trip through a field, to the minute", () => {
  const moment = new Date("2026-03-04T09:30:00.000Z");
  expect(fromDateTimeLocal(toDateTimeLocal(moment.toISOString()))).toBe(moment.toISOString());
  expect(toDateTimeLocal(new Date(2026, 0, 5, 7, 3).toISOString())).toBe("2026-01-05T07:03");
  expect(toDateTimeLocal(undefined)).toBe("");
});

test("invalid input is passed on for the server to reject", () => {
  expect(fromDateTimeLocal("")).toBe("");
});
