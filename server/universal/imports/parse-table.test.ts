import { expect, test } from "vitest";

import { decodeTextFile, encodingOf, parseTable } from "./parse-table.ts";

test.each([
  [
    "\uFEFFa;b;c\r\n\r\n1; 2;\r\n",
    ["a", "b", "c"],
    [
      [1, ["a", "b", "c"]],
      [3, ["1", "2", ""]],
    ],
  ],
  [
    "x@y.test\nz@y.test",
    ["x@y.test"],
    [
      [1, ["x@y.test"]],
      [2, ["z@y.test"]],
    ],
  ],
  [
    '[{"a":1},{"b":[2]}]',
    ["a", "b"],
    [
      [1, ["1", ""]],
      [2, ["", "[2]"]],
    ],
  ],
  ['{"data":[{"a":null}]}', ["a"], [[1, [""]]]],
  ['{"next":"https://x.test/?after=x@y.test","items":[{"a":1}]}', ["a"], [[1, ["1"]]]],
  ['{"address":"x@y.test","tags":["*"]}\n', ["address", "tags"], [[1, ["x@y.test", '["*"]']]]],
  [
    '{"a":"b"}\n{"a":"c"}',
    ["a"],
    [
      [1, ["b"]],
      [2, ["c"]],
    ],
  ],
  ["", [], []],
])("reads %j", async (content, first, rows) => {
  const read = await parseTable(content);
  expect(read.first).toEqual(first);
  expect(read.rows.map(({ line, cells }) => [line, cells])).toEqual(rows);
});

test("names the line of broken JSON", async () => {
  await expect(parseTable('{"a":1}\n{"a"')).rejects.toThrow("Line 2 isn't valid JSON");
});

const bytes = (...parts: (number[] | string)[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part)] : part)),
  );

test.each([
  ["UTF-8", bytes("Jürgen")],
  ["UTF-8 with a byte order mark", bytes([0xef, 0xbb, 0xbf], "Jürgen")],
  ["Windows-1252", bytes("J", [0xfc], "rgen")],
  ["UTF-16, as Excel writes it", bytes([0xff, 0xfe], [...Buffer.from("Jürgen", "utf16le")])],
  ["UTF-16, big-endian", bytes([0xfe, 0xff], [...Buffer.from("Jürgen", "utf16le").swap16()])],
])("decodes %s", (_, file) => {
  expect(decodeTextFile(file)).toBe("Jürgen");
});

test("a file that ends within a UTF-8 character is read as Windows-1252", () => {
  expect(encodingOf(bytes("Jürgen").slice(0, 2))).toBe("windows-1252");
});
