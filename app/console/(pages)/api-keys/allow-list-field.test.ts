import { expect, test } from "vitest";

import { includesAddress, parseAllowList } from "./allow-list-field.tsx";

test("splits an allow-list at lines, commas and semicolons", () => {
  expect(parseAllowList(" 192.0.2.1,10.0.0.0/8\r\n\n2001:db8::/32 ; ")).toEqual([
    "192.0.2.1",
    "10.0.0.0/8",
    "2001:db8::/32",
  ]);
  expect(parseAllowList(" \n ")).toEqual([]);
});

test.each([
  [["192.0.2.0/24"], "192.0.2.7", true],
  [["192.0.2.7"], "::ffff:192.0.2.7", true],
  [["192.0.3.0/24", "2001:db8::/32"], "192.0.2.7", false],
  [["2001:db8::/32"], "2001:db8::1", true],
  [["192.0.2.300"], "192.0.2.7", null],
  [["192.0.2.0/33"], "192.0.2.7", null],
  [["192.0.2.7"], "", null],
])("%j includes %s: %j", async (list, address, expected) => {
  expect(await includesAddress(list, address)).toBe(expected);
});
