import { expect, test } from "vitest";

import { countFailures } from "./count-failures.ts";

const failures = (count: number) => Array.from({ length: count }, () => false);

test("counts consecutive failures; a success resets the count", () => {
  expect(countFailures(3, [false, false])).toMatchObject({ failures: 5, hasSucceeded: false });
  expect(countFailures(3, [false, true, false])).toMatchObject({ failures: 1, hasSucceeded: true });
  expect(countFailures(3, [])).toMatchObject({ failures: 3, isLimitReached: false });
});

test("the hundredth consecutive failure reaches the limit, and later attempts change nothing", () => {
  expect(countFailures(99, [])).toMatchObject({ isLimitReached: false });
  expect(countFailures(0, failures(99))).toMatchObject({ failures: 99, isLimitReached: false });
  expect(countFailures(98, [false, false, true, false])).toEqual({
    ...{ failures: 100, isLimitReached: true, hasSucceeded: false },
  });
  expect(countFailures(99, [true, ...failures(99)])).toMatchObject({ isLimitReached: false });
});
