import fc from "fast-check";
import { expect, test } from "vitest";

import { diffTexts } from "./diff-texts.ts";

const textOf = (pieces: { text: string }[]) => pieces.map(({ text }) => text).join("");
const same = (pieces: { text: string; mark: string }[]) =>
  textOf(pieces.filter(({ mark }) => mark === "same"));

test("marks missing and extra characters, and nothing else", () => {
  expect(diffTexts("v=spf1 a:mail.test ~all", "v=spf1 ~all")).toEqual({
    expected: [
      { text: "v=spf1 ", mark: "same" },
      { text: "a:mail.test ", mark: "missing" },
      { text: "~all", mark: "same" },
    ],
    found: [{ text: "v=spf1 ~all", mark: "same" }],
  });
  expect(diffTexts("abc", '"abc"').found).toEqual([
    { text: '"', mark: "extra" },
    { text: "abc", mark: "same" },
    { text: '"', mark: "extra" },
  ]);
  expect(diffTexts("p=ABCD", "p=AB CD").found).toContainEqual({ text: " ", mark: "extra" });
});

test("the parts add up to both texts, with equal parts equal in both", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", " ", ";", "=", "é", "😀"),
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const { expected, found } = diffTexts(one, other);
      expect(textOf(expected)).toBe(one);
      expect(textOf(found)).toBe(other);
      expect(same(expected)).toBe(same(found));
      expect(diffTexts(one, one).expected.every(({ mark }) => mark === "same")).toBe(true);
    }),
  );
});

test("compares only the ends of texts that are too long", () => {
  const { expected } = diffTexts(`a${"x".repeat(2000)}z`, `a${"y".repeat(2000)}z`);
  expect(expected.map(({ text, mark }) => [text.length, mark])).toEqual([
    [1, "same"],
    [2000, "missing"],
    [1, "same"],
  ]);
});
