import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { TemplateVariable } from "#drizzle/schema/index.ts";

import {
  filledLength,
  fillVariables,
  parseText,
  resolveValues,
  usedVariables,
} from "./template-content.ts";

const values = (record: Record<string, string>) => new Map(Object.entries(record));

describe("fillVariables", () => {
  test.each([
    ["Hi {{{NAME}}}", "Hi Ann"],
    ["Hi {{{ NAME }}}, {{{NAME}}}", "Hi Ann, Ann"],
    ["{{{{NAME}}}}", "{Ann}"],
    [
      "{{NAME}} {NAME} {{{NAME}} {{{}}} {{{A B}}} {{{a.b}}}",
      "{{NAME}} {NAME} {{{NAME}} {{{}}} {{{A B}}} {{{a.b}}}",
    ],
    ["{{{\nNAME}}}", "{{{\nNAME}}}"],
  ])("%j becomes %j", (text, expected) => {
    expect(fillVariables(parseText(text), values({ NAME: "Ann" }))).toBe(expected);
  });

  test("inserts values as they are: markup, placeholders and replacement patterns", () => {
    const value = "<b>$& $1 {{{B}}} &amp;</b>";
    expect(fillVariables(parseText("{{{A}}}"), values({ A: value, B: "never" }))).toBe(value);
  });

  test("predicts the length of the result", () => {
    const piece = fc.constantFrom("{{{A}}}", "{{{ B }}}", "{", "}", "x", "{{A}}");
    fc.assert(
      fc.property(fc.array(piece), fc.string(), fc.string(), (pieces, A, B) => {
        const [text, filled] = [parseText(pieces.join("")), values({ A, B })];
        expect(filledLength(text, filled)).toBe(fillVariables(text, filled).length);
      }),
    );
  });
});

test("usedVariables names each use of a variable", () => {
  expect(usedVariables(parseText("{{{A}}} {{{ B }}} {{{A}}} {{C}}"))).toEqual(["A", "B", "A"]);
});

describe("resolveValues", () => {
  const variable = (
    key: string,
    type: TemplateVariable["type"],
    fallbackValue: string | number | null,
  ) => ({ key, type, fallbackValue, createdAt: "", updatedAt: "" });
  const variables = [
    variable("NAME", "string", "there"),
    variable("ORDER", "number", null),
    variable("constructor", "string", null),
  ];
  const resolve = (used: string[], given: Record<string, string | number>) =>
    resolveValues(new Set(used), variables, given);

  test("takes given values before fallbacks, and 0 and empty text are values", () => {
    expect(resolve(["NAME", "ORDER"], { NAME: "", ORDER: 0 })).toEqual({
      values: values({ NAME: "", ORDER: "0" }),
    });
    expect(resolve(["NAME", "ORDER"], { ORDER: 7, OTHER: 1 })).toEqual({
      values: values({ NAME: "there", ORDER: "7" }),
    });
  });

  test("needs a value only for variables that are used", () => {
    expect(resolve(["NAME"], {})).toEqual({ values: values({ NAME: "there" }) });
    expect(resolve(["ORDER"], {})).toMatchObject({
      problem: expect.stringContaining("'ORDER' has no fallback value") as string,
    });
    expect(resolve(["constructor"], {})).toHaveProperty("problem");
  });

  test("a number must be a number; a string may be one", () => {
    expect(resolve([], { ORDER: "7" })).toEqual({ problem: "variable 'ORDER' must be a number" });
    expect(resolve([], { NAME: 7 })).toEqual({ values: values({ NAME: "7" }) });
  });
});
