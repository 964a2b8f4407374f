import { expect, test } from "vitest";

import { retryWaitSeconds } from "./retry-schedule.ts";

test("retries after 1, 5, 15, 30 minutes, 1, 2, 4 and then every 6 hours", () => {
  const minutes = Array.from({ length: 10 }, (_, attempt) => retryWaitSeconds(attempt, 0.5) / 60);
  expect(minutes.map(Math.round)).toEqual([1, 5, 15, 30, 60, 120, 240, 360, 360, 360]);
});

test("varies each wait randomly by up to 10%", () => {
  expect(retryWaitSeconds(0, 0)).toBeCloseTo(54);
  expect(retryWaitSeconds(0, 1)).toBeCloseTo(66);
});
