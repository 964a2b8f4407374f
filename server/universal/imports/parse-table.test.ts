import { expect, test } from "vitest";

import { parseTable } from "./parse-table.ts";

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
