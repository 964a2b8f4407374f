import { expect, test } from "vitest";

import { covers } from "./covers.ts";
import { entriesOf } from "./key-words.ts";

test("an allow-list is read however it is written", () => {
  expect(entriesOf(" 192.0.2.1,10.0.0.0/8\r\n\n2001:db8::/32 ; ")).toEqual([
    ...["192.0.2.1", "10.0.0.0/8", "2001:db8::/32"],
  ]);
  expect(entriesOf(" \n ")).toEqual([]);
});

test.each([
  [["192.0.2.0/24"], "192.0.2.7", true],
  [["192.0.2.7"], "::ffff:192.0.2.7", true],
  [["192.0.3.0/24", "2001:db8::/32"], "192.0.2.7", false],
  [["2001:db8::/32"], "2001:db8::1", true],
  [["192.0.2.300"], "192.0.2.7", null],
  [["192.0.2.0/33"], "192.0.2.7", null],
  [["192.0.2.7"], "", null],
])("%j covers %s: %j", async (list, address, expected) => {
  expect(await covers(list, address)).toBe(expected);
});
