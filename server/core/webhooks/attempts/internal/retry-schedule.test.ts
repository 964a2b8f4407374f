import { expect, test } from "vitest";

import { planNextAttempt } from "./retry-schedule.ts";

const failed = { succeeded: false, wasReplay: false, isReplayRequested: false };

test("makes eight attempts: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h apart", () => {
  const plans = [0, 1, 2, 3, 4, 5, 6, 7].map((scheduled) =>
    planNextAttempt({ ...failed, scheduled }),
  );
  expect(plans.map(({ waitSeconds }) => waitSeconds)).toEqual([
    ...[5, 300, 1800, 7200, 18_000, 36_000, 36_000, null],
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
      ...{ status: "success", waitSeconds: null },
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
