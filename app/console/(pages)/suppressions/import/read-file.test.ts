import { expect, test } from "vitest";

import { toCsv } from "#app/console/(pages)/suppressions/csv.ts";

import { LINES_MAX, readFile } from "./read-file.ts";

const textsOf = async (file: string) => (await readFile(file)).lines.map(({ text }) => text);

test.each([
  [
    "one address a line",
    "ann@example.org\nben@example.org\n",
    ["ann@example.org", "ben@example.org"],
  ],
  ["a heading", "Email\r\nann@example.org\r\n", ["ann@example.org"]],
  ["a column by its heading", "id,E-Mail,x\n1,ann@example.org,a@b.c\n", ["ann@example.org"]],
  [
    "a column by its at sign",
    "Ann;ann@example.org\nBen;ben@example.org",
    ["ann@example.org", "ben@example.org"],
  ],
  ["quotes", `"Smith, Ann",ann@example.org\n`, ["ann@example.org"]],
  [
    "an address like a heading",
    "email@example.org\nben@example.org",
    ["email@example.org", "ben@example.org"],
  ],
  ["wrong lines, to be told", "Email\nnobody\n", ["nobody"]],
  ["nothing", "", []],
  [
    "formulas that were defused",
    "email\n'+tag@example.org\n'=x@example.org",
    ["+tag@example.org", "=x@example.org"],
  ],
])("%s", async (_, file, expected) => {
  expect(await textsOf(file)).toEqual(expected);
});

test("lines are numbered as in the file, empty ones too", async () => {
  expect((await readFile("email\nann@example.org\n\n,\nben@example.org\n")).lines).toEqual([
    { line: 2, text: "ann@example.org" },
    { line: 5, text: "ben@example.org" },
  ]);
});

test("what we write is read again, and runs in no spreadsheet", async () => {
  const emails = ["+tag@example.org", "-x@example.org", "=cmd@example.org", "a@example.org"];
  const file = await toCsv(
    emails.map((email) => [email, "manual", null]),
    ["email", "origin", "source_email_id"],
  );
  expect(file).not.toMatch(/^"?[=+@-]/m);
  expect(await textsOf(file)).toEqual(emails);
});

test("of more than 100,000 lines the first are read", async () => {
  const { lines, isCut } = await readFile("a@example.org\n".repeat(LINES_MAX + 5));
  expect([lines.length, isCut]).toEqual([LINES_MAX, true]);
  expect((await readFile("a@example.org\n".repeat(LINES_MAX))).isCut).toBe(false);
});
