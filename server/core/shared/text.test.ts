import { describe, expect, test } from "vitest";

import { Refusal } from "./refusals.ts";
import { pluralize, readOneLine, storableText } from "./text.ts";

describe("readOneLine", () => {
  test("trims the text", () => {
    expect(readOneLine("  Ann Lee\n", "name", { max: 7 })).toBe("Ann Lee");
  });

  test("counts characters, not UTF-16 units", () => {
    expect(readOneLine("🙂🙂🙂", "name", { max: 3 })).toBe("🙂🙂🙂");
  });

  test.each([
    ["empty text", ""],
    ["white space", " \t "],
    ["a long text", "abcd"],
    ["several lines", "a\nb"],
    ["a line separator", "a\u2028b"],
    ["a control character", "a\0b"],
    ["a lone surrogate", "a\ud800"],
  ])("rejects %s", (_, text) => {
    const read = () => readOneLine(text, "name", { max: 3 });
    expect(read).toThrow(new Refusal("invalid", "name: must have 1 to 3 characters, on one line"));
  });

  test("accepts empty text if there is no minimum", () => {
    expect(readOneLine(" ", "reason", { min: 0, max: 3 })).toBe("");
    const read = () => readOneLine("abcd", "reason", { min: 0, max: 3 });
    expect(read).toThrow(
      new Refusal("invalid", "reason: must have at most 3 characters, on one line"),
    );
  });

  test("can have a message of its own", () => {
    const read = () => readOneLine("", "name", { max: 3, message: "Provide a name" });
    const fields = [
      { path: "name", code: "invalid", message: "must have 1 to 3 characters, on one line" },
    ];
    expect(read).toThrow(new Refusal("invalid", "Provide a name", { fields }));
  });
});

test("storable text has neither NUL nor lone surrogates, also where it is cut", () => {
  expect(storableText("a\0b\ud800c")).toBe("ab\ufffdc");
  expect(storableText("a\0b", 2, "\ufffd")).toBe("a\ufffd");
  expect(storableText("ab🙂", 3)).toBe("ab\ufffd");
});

test("only 1 is singular", () => {
  expect([0, 1, 2, 1_200].map((count) => pluralize(count, "message"))).toEqual([
    "0 messages",
    "1 message",
    "2 messages",
    "1,200 messages",
  ]);
  expect([1, 2].map((count) => pluralize(count, "mailbox", "mailboxes"))).toEqual([
    "1 mailbox",
    "2 mailboxes",
  ]);
});
