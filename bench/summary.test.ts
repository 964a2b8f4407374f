import { expect, test } from "vitest";

import { median } from "./summary.ts";

test("the median of an even number of values is between the middle two", () => {
  expect(median([3, 1])).toBe(2);
  expect(median([5, 1, 2, 4])).toBe(3);
  expect(median([9, 1, 2])).toBe(2);
});
