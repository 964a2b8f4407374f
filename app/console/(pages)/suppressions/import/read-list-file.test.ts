import { expect, test } from "vitest";

import { SUPPRESSION_LINES_MAX, readListFile } from "./read-list-file.ts";

const rowsOf = async (file: string) => (await readListFile(file)).lines.map(({ cells }) => cells);

test.each([
  ["one address per line", "ann@x.test\nben@x.test\n", [["ann@x.test"], ["ben@x.test"]]],
  [
    "columns with headings",
    "Email;x\r\nann@x.test;1\r\n",
    [
      ["Email", "x"],
      ["ann@x.test", "1"],
    ],
  ],
  ["quoted cells", `"Smith, Ann", ann@x.test \n`, [["Smith, Ann", "ann@x.test"]]],
  ["an empty file", "", []],
  [
    "an array of objects",
    '[{"a":"b","c":1},{"c":2}]',
    [
      ["b", "1"],
      ["", "2"],
    ],
  ],
  ["objects in a property", ' {"next":null,"data":[{"a":"b"}]}', [["b"]]],
  ["an object per line", '{"a":"b"}\n{"a":"c"}\n', [["b"], ["c"]]],
  [
    "fields that the first entry doesn't have",
    '[{"a":"b"},{"a":"c","d":1}]',
    [
      ["b", ""],
      ["c", "1"],
    ],
  ],
  ["a single entry with an array", '{"address":"a@x.test","tags":["*"]}', [["a@x.test", '["*"]']]],
  ["entries that are null", '[null,{"a":"b"}]', [["b"]]],
])("reads %s", async (_, file, expected) => {
  expect(await rowsOf(file)).toEqual(expected);
});

test("headings of JSON are its fields", async () => {
  expect((await readListFile('{"data":[{"email":"a@x.test","origin":"bounce"}]}')).first).toEqual([
    "email",
    "origin",
  ]);
});

test("JSON that is broken is an error", async () => {
  await expect(readListFile('[{"a":')).rejects.toThrow();
});

test("line numbers count empty lines too", async () => {
  expect((await readListFile("email\nann@x.test\n\n,\nben@x.test\n")).lines).toEqual([
    { line: 1, cells: ["email"] },
    { line: 2, cells: ["ann@x.test"] },
    { line: 5, cells: ["ben@x.test"] },
  ]);
});

test("reads only the first 100,000 lines", async () => {
  const { lines, isCut } = await readListFile("a@x.test\n".repeat(SUPPRESSION_LINES_MAX + 5));
  expect([lines.length, isCut]).toEqual([SUPPRESSION_LINES_MAX, true]);
  expect((await readListFile("a@x.test\n".repeat(SUPPRESSION_LINES_MAX))).isCut).toBe(false);
});

test("a file in another encoding is decoded, also beyond its first part", async () => {
  const row = new Uint8Array([...Buffer.from("M\u00fcller,a@x.test\n", "latin1")]);
  const file = new File(Array<typeof row>(40_000).fill(row), "list.csv");
  const { lines } = await readListFile(file);
  expect(lines).toHaveLength(40_000);
  expect(lines.at(-1)!.cells).toEqual(["Müller", "a@x.test"]);
});
