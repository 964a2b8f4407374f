import { expect, test } from "vitest";

import { sortRows } from "./sort-rows.ts";

const ROWS = [
  { name: "Plan 10", count: 3 },
  { name: "plan 9", count: Infinity },
  { name: "Basic", count: 3 },
];
const keys = {
  name: ({ name }: (typeof ROWS)[number]) => name,
  count: ({ count }: (typeof ROWS)[number]) => count,
};

test.each([
  ["name", ["Basic", "plan 9", "Plan 10"]],
  ["-name", ["Plan 10", "plan 9", "Basic"]],
  ["count", ["Plan 10", "Basic", "plan 9"]],
  ["-count", ["plan 9", "Plan 10", "Basic"]],
] as const)("sorts by %s", (order, names) => {
  expect(sortRows(ROWS, order, keys).map(({ name }) => name)).toEqual(names);
  expect(ROWS[0]!.name).toBe("Plan 10");
});
