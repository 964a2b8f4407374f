import { expect, test } from "vitest";

import { fallbackValue, fillIn, variableNames } from "./template-values.ts";

test("finds each variable once, in the order of the texts", () => {
  expect(variableNames("{{{B}}} {{{ A }}}", "{{{A}}} {{C}} {{{a-b}}} {{{}}}")).toEqual(["B", "A"]);
});

test("fills in values as they are, once, and keeps placeholders without a value", () => {
  expect(fillIn("{{{A}}} {{{ A }}} {{{B}}} {{{constructor}}}", { A: "<b>$& {{{B}}}" })).toBe(
    "<b>$& {{{B}}} <b>$& {{{B}}} {{{B}}} {{{constructor}}}",
  );
});

test.each([
  ["number", "", null],
  ["number", "0", 0],
  ["number", "1.5", 1.5],
  ["number", " ", " "],
  ["number", "seven", "seven"],
  ["string", "7", "7"],
  ["string", "", null],
] as const)("the fallback value of a %s %j is %j", (type, fallback, expected) => {
  expect(fallbackValue({ type, fallback })).toBe(expected);
});
