import { expect, test } from "vitest";

import { toCsv } from "#app/console/(pages)/suppressions/csv.ts";

import { LINES_MAX, readAddressFile } from "./read-address-file.ts";

const textsOf = async (file: string) => (await readAddressFile(file)).lines.map(({ text }) => text);

test.each([
  [
    "one address per line",
    "ann@example.org\nben@example.org\n",
    ["ann@example.org", "ben@example.org"],
  ],
  ["a header line", "Email\r\nann@example.org\r\n", ["ann@example.org"]],
  ["a column found by its header", "id,E-Mail,x\n1,ann@example.org,a@b.c\n", ["ann@example.org"]],
  [
    "a column found by its @ signs",
    "Ann;ann@example.org\nBen;ben@example.org",
    ["ann@example.org", "ben@example.org"],
  ],
  ["quoted cells", `"Smith, Ann",ann@example.org\n`, ["ann@example.org"]],
  [
    "an address that looks like a header",
    "email@example.org\nben@example.org",
    ["email@example.org", "ben@example.org"],
  ],
  ["invalid lines", "Email\nnot-an-address\n", ["not-an-address"]],
  ["an empty file", "", []],
  [
    "escaped formulas",
    "email\n'+tag@example.org\n'=x@example.org",
    ["+tag@example.org", "=x@example.org"],
  ],
])("reads %s", async (_, file, expected) => {
  expect(await textsOf(file)).toEqual(expected);
});

test("line numbers count empty lines too", async () => {
  expect((await readAddressFile("email\nann@example.org\n\n,\nben@example.org\n")).lines).toEqual([
    { line: 2, text: "ann@example.org" },
    { line: 5, text: "ben@example.org" },
  ]);
});

test("an exported file can be imported again and contains no formulas", async () => {
  const emails = ["+tag@example.org", "-x@example.org", "=cmd@example.org", "a@example.org"];
  const file = await toCsv(
    emails.map((email) => [email, "manual", null]),
    ["email", "origin", "source_email_id"],
  );
  expect(file).not.toMatch(/^"?[=+@-]/m);
  expect(await textsOf(file)).toEqual(emails);
});

test("reads only the first 100,000 lines", async () => {
  const { lines, isCut } = await readAddressFile("a@example.org\n".repeat(LINES_MAX + 5));
  expect([lines.length, isCut]).toEqual([LINES_MAX, true]);
  expect((await readAddressFile("a@example.org\n".repeat(LINES_MAX))).isCut).toBe(false);
});
