import { expect, test } from "vitest";

import { fromLocalField, toLocalField } from "./local-moment.ts";

test("a moment goes into a field and comes back, to the minute", () => {
  const moment = new Date("2026-03-04T09:30:00.000Z");
  expect(fromLocalField(toLocalField(moment))).toBe(moment.toISOString());
  expect(toLocalField(new Date(2026, 0, 5, 7, 3))).toBe("2026-01-05T07:03");
});

test("what is no moment is left for the server to refuse", () => {
  expect(fromLocalField("")).toBe("");
});
