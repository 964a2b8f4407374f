import { expect, test } from "vitest";

import { judgeSenderRate, type SenderRate } from "./sender-rates.ts";

test.each<[SenderRate, number, number, string | null]>([
  ["bounce", 1, 3, null],
  ["bounce", 50, 99, null],
  ["bounce", 1, 100, "good"],
  ["bounce", 2, 100, null],
  ["bounce", 19, 1_000, "good"],
  ["bounce", 20, 1_000, "high"],
  ["bounce", 49, 1_000, "high"],
  ["bounce", 50, 1_000, "critical"],
  ["complaint", 0, 100, "good"],
  ["complaint", 1, 200, null],
  ["complaint", 9, 10_000, "good"],
  ["complaint", 10, 10_000, "high"],
  ["complaint", 30, 10_000, "critical"],
  ["complaint", 3, 1_000, "critical"],
])("%s: %i of %i is %s", (rate, events, emails, judgement) => {
  expect(judgeSenderRate(rate, events, emails)).toBe(judgement);
});
