import { expect, test } from "vitest";

import {
  formatRate,
  formatRateTick,
  describeCountChange,
  describeRateChange,
  formatCompactCount,
  ratio,
} from "./number-format.ts";

test.each([
  [0, "0%"],
  [1, "100%"],
  [0.9724, "97.2%"],
  [0.1, "10.0%"],
  [0.94, "94.0%"],
  [0.019, "1.90%"],
  [0.0008, "0.08%"],
  [0.0096, "0.96%"],
  [0.0199, "1.99%"],
])("the rate %d reads %s", (rate, text) => expect(formatRate(rate)).toBe(text));

test.each([
  [0, 0, null],
  [5, 0, "none before"],
  [1000, 1000, "as many as before"],
  [150, 100, "50% more than 100"],
  [0, 2, "2 before"],
  [18, 9, "9 before"],
  [9, 9, "as many as before"],
  [3, 1200, "100% fewer than 1,200"],
])("%d after %d is %j", (now, before, text) => expect(describeCountChange(now, before)).toBe(text));

test.each([
  [null, 0.5, null],
  [0.5, 0.5, "as before"],
  [0.985, 0.97, "1.5 points up from 97.0%"],
  [0.001, 0.0015, "0.05 points down from 0.15%"],
])("the rate %j after %j is %j", (now, before, text) => {
  expect(describeRateChange(now, before)).toBe(text);
});

test("a share of nothing is none, and never more than all", () => {
  expect([ratio(0, 0), ratio(3, 2), ratio(1, 4)]).toEqual([null, 1, 0.25]);
});

test("an axis has no room for millions in full", () =>
  expect(formatCompactCount(1_250_000)).toBe("1.3M"));

test("its rates are round", () => {
  expect([0, 0.005, 0.02, 0.5, 1].map(formatRateTick)).toEqual(["0%", "0.5%", "2%", "50%", "100%"]);
});
