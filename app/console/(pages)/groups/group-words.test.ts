import { expect, test } from "vitest";

import { addressesIn, membersInWords } from "./group-words.ts";

test.each([
  ["", []],
  ["ann@example.com", ["ann@example.com"]],
  ["Ann@Example.com\nbob@example.com\n\n", ["ann@example.com", "bob@example.com"]],
  ["ann@example.com, bob@example.com; ann@example.com", ["ann@example.com", "bob@example.com"]],
  ["Ann Lee <ann@example.com>, bob@example.com", ["ann@example.com", "bob@example.com"]],
  ["ann@example.com bob@example.com", ["ann@example.com", "bob@example.com"]],
])("%j are the addresses %j", (text, addresses) => {
  expect(addressesIn(text)).toEqual(addresses);
});

test("a group without members says what becomes of its mail", () => {
  expect(membersInWords(0)).toBe("Nobody: mail is discarded");
  expect(membersInWords(1)).toBe("1 member");
  expect(membersInWords(2)).toBe("2 members");
});
