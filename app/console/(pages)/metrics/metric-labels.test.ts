import { describe, expect, test } from "vitest";

import { assessRate, emailCount, isUntracked, RATE_NAMES, rateOf } from "./metric-labels.ts";
import type { Counts } from "./queries.ts";

/** 102 emails: 100 have an outcome, of which 8 failed or bounced. */
const COUNTED: Counts = {
  sent: 99,
  delivered: 92,
  opened: 0,
  clicked: 0,
  delivery_delayed: 3,
  bounced: 6,
  complained: 0,
  failed: 2,
  suppressed: 1,
  scheduled: 0,
  canceled: 0,
  outcomes: { done: 92, waiting: 1, failed: 8, not_sent: 1 },
};

test("outcomes add up to the emails, and the rates of completed ones to 100%", () => {
  expect(emailCount(COUNTED)).toBe(102);
  const failed = COUNTED.outcomes.failed / 100;
  expect(rateOf("delivery", COUNTED)! + failed).toBeCloseTo(1);
  expect(rateOf("bounce", COUNTED)).toBe(0.06);
});

describe("assessments", () => {
  const tone = (name: (typeof RATE_NAMES)[number], counts: Counts) =>
    assessRate(name, counts)?.tone;

  test("follow the rule for senders", () => {
    expect(assessRate("bounce", COUNTED)).toEqual({
      tone: "failed",
      label: "Too high (target: below 2%)",
    });
    expect(tone("bounce", { ...COUNTED, bounced: 4 })).toBe("waiting");
    expect(tone("bounce", { ...COUNTED, bounced: 1 })).toBe("done");
    expect(tone("delivery", COUNTED)).toBe("waiting");
    expect(tone("open", COUNTED)).toBeUndefined();
  });

  test("need enough emails", () => {
    const few = { ...COUNTED, bounced: 1, outcomes: { ...COUNTED.outcomes, done: 2, failed: 1 } };
    for (const name of RATE_NAMES) expect(assessRate(name, few)).toBeNull();
  });
});

test("opens and clicks are untracked if no domain tracks them and none was counted", () => {
  const off = { counts: COUNTED, tracking: { opens: false, clicks: false } };
  const on = { counts: COUNTED, tracking: { opens: true, clicks: false } };
  expect(isUntracked("open", [off])).toBe(true);
  expect(isUntracked("open", [off, on])).toBe(false);
  expect(isUntracked("click", [off, on])).toBe(true);
  expect(isUntracked("click", [{ ...off, counts: { ...COUNTED, clicked: 1 } }])).toBe(false);
  expect(isUntracked("bounce", [off])).toBe(false);
});
