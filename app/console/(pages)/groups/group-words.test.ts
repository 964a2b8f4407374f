import { expect, test } from "vitest";

import { addressesIn, membersInWords, problemOfList } from "./group-words.ts";

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

test.each([
  ["members[1]: must be one email address", "“lou” must be one email address"],
  ["members[7]: must be one email address", "Members must be one email address"],
  ["members: must have at most 200 entries", "Members must have at most 200 entries"],
  ["posters[1]: must be one email address", null],
  ["Something went wrong", null],
])("%j is told as %j", (message, told) => {
  const entries = ["ann@example.com", "lou"];
  const list = { field: "members", label: "Members", entries };
  expect(problemOfList(new Error(message), list)).toBe(told);
});

test("a group without members says what becomes of its mail", () => {
  expect(membersInWords(0)).toBe("Nobody: mail is discarded");
  expect(membersInWords(1)).toBe("1 member");
  expect(membersInWords(2)).toBe("2 members");
});
