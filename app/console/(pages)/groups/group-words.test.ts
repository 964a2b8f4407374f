import { expect, test } from "vitest";

import { addressesIn, membersInWords, problemOfList, stateOf } from "./group-words.ts";

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

test("a group that takes mail for nobody is no active one", () => {
  expect(stateOf({ active: true }, 1).word).toBe("Active");
  expect(stateOf({ active: true }, 0).word).toBe("No members");
  expect(stateOf({ active: false }, 0).word).toBe("Switched off");
});

test("members are counted", () => {
  expect(membersInWords(0)).toBe("No members");
  expect(membersInWords(1)).toBe("1 member");
  expect(membersInWords(2)).toBe("2 members");
});
