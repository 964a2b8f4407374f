import { expect, test } from "vitest";

import { toSentence, typographic } from "./server-text.ts";

test.each([
  ["You can't remove the company's last owner", "You can’t remove the company’s last owner"],
  ["the members' mailboxes", "the members’ mailboxes"],
  ["o'neil@example.com isn't a member", "o'neil@example.com isn’t a member"],
  ["Set it to 'a b'", "Set it to 'a b'"],
])("%s becomes %s", (text, expected) => {
  expect(typographic(text)).toBe(expected);
});

test("a phrase becomes one sentence", () => {
  expect(toSentence("restic isn't installed")).toBe("Restic isn’t installed.");
  expect(toSentence("Fixed.")).toBe("Fixed.");
});
