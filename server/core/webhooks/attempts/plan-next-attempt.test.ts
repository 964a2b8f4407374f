import { expect, test } from "vitest";

import { countFailures, planNextAttempt } from "./plan-next-attempt.ts";

const failed = { succeeded: false, wasReplay: false, isReplayRequested: false };

test("makes eight attempts: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h apart", () => {
  const plans = [0, 1, 2, 3, 4, 5, 6, 7].map((scheduled) =>
    planNextAttempt({ ...failed, scheduled }),
  );
  expect(plans.map(({ waitSeconds }) => waitSeconds)).toEqual([
    5,
    300,
    1800,
    7200,
    18_000,
    36_000,
    36_000,
    null,
  ]);
  expect(plans.map(({ scheduled }) => scheduled)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(plans.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 7 }, () => "attempting"),
    "failed",
  ]);
});

test("ends with a success, at any attempt", () => {
  for (const scheduled of [0, 3, 7, 8])
    expect(planNextAttempt({ ...failed, scheduled, succeeded: true })).toMatchObject({
      status: "success",
      waitSeconds: null,
    });
});

test("a failed replay uses none of the schedule, which continues where it was", () => {
  const replay = { ...failed, wasReplay: true };
  const next = { status: "attempting", scheduled: 3, waitSeconds: 1800 };
  expect(planNextAttempt({ ...replay, scheduled: 3 })).toEqual(next);
  expect(planNextAttempt({ ...replay, scheduled: 8 })).toMatchObject({
    status: "failed",
    waitSeconds: null,
  });
});

test("a replay requested meanwhile adds one immediate attempt", () => {
  const asked = { ...failed, scheduled: 1, isReplayRequested: true };
  const atOnce = { status: "attempting", scheduled: 2, waitSeconds: 0 };
  expect(planNextAttempt(asked)).toEqual(atOnce);
  expect(planNextAttempt({ ...asked, succeeded: true })).toEqual(atOnce);
});

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
    failures: 100,
    isLimitReached: true,
    hasSucceeded: false,
  });
  expect(countFailures(99, [true, ...failures(99)])).toMatchObject({ isLimitReached: false });
});
