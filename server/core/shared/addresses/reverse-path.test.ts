import { expect, test } from "vitest";

import { readReversePath } from "./parse-address.ts";

test.each([
  ["", ""],
  ["Ann@Example.com", "Ann@example.com"],
  ["bounce@em_12.Example.com", "bounce@em_12.example.com"],
  ["root@nas", "root@nas"],
  ["root@_x.example", "root@_x.example"],
  ["A..b@x.example", "A..b@x.example"],
  [".a.@x.example", ".a.@x.example"],
  ['"Ann"@x.example', "Ann@x.example"],
  ['"a..b"@x.example', "a..b@x.example"],
  ['"a,\\b\\""@x.example', '"a,b\\""@x.example'],
  ['"a b"@x.example', null],
  ['"a@b"@x.example', null],
  ['"a>\r\nDATA"@x.example', null],
  ['"a\\"@x.example', null],
  ["ann@127.0.0.1", null],
  ["ann@127.0.0.0x1", null],
  ["ann@7", null],
  ["ann@a..example", null],
  ["ann@-a_b.example", null],
  ["ann@a b.example", null],
  ["ann@a_b.example\r\nRCPT TO:<eve@example.com>", null],
  ["a b@example.com", null],
  [`ann@${"a_".repeat(32)}.example`, null],
])("the return path %j is %j", (text, path) => {
  expect(readReversePath(text)).toBe(path);
});
