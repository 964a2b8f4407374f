import { expect, test } from "vitest";

import { toImportLines, parseList } from "./parse-list.ts";

const lines = async (text: string) => {
  const { rows, columns } = await parseList(text);
  return toImportLines(rows, columns);
};
const ann = { email: "ann@example.com", name: "Ann Lee" };

test.each([
  ["commas with a heading", "email,name\nann@example.com,Ann Lee\n"],
  ["semicolons, as a spreadsheet in Europe writes them", "Name;E-mail\r\nAnn Lee;ann@example.com"],
  ["tabs, as a spreadsheet copies them", "ann@example.com\tAnn Lee"],
  ["quotes, a byte order mark and empty lines", '\ufeff"ann@example.com","Ann Lee"\n\n ,\n'],
  ["a column that nobody knows", "Shoe size,Email,Name\n42,ann@example.com,Ann Lee"],
  [
    "first and last names, as Google Workspace exports them",
    "First Name [Required],Last Name [Required],Email Address [Required]\nAnn,Lee,ann@example.com",
  ],
  ["headings of another system", "Email Address [Required],Display name\nann@example.com,Ann Lee"],
])("%s", async (_, text) => {
  expect(await lines(text)).toEqual([ann]);
});

test("all columns, in the usual order without a heading", async () => {
  const text = 'ann@example.com,Ann Lee,"2,048",Sales / Berlin,press@example.com; hi@example.com';
  expect(await lines(text)).toEqual([
    {
      ...{ ...ann, quota_mb: 2_048, unit: "Sales / Berlin" },
      aliases: ["press@example.com", "hi@example.com"],
    },
  ]);
});

test("a size that is none is kept as one that no mailbox may have", async () => {
  expect(await lines("email,name,quota_mb\nann@example.com,Ann Lee,large")).toEqual([
    { ...ann, quota_mb: 0 },
  ]);
});

test("a column is used once, and a short line lacks what it lacks", async () => {
  const { columns } = await parseList("email,email,name\na@b.example");
  expect(columns).toEqual(["email", null, "name"]);
  expect(await lines("email,name\nann@example.com")).toEqual([{ ...ann, name: "" }]);
});

test("nothing is no line", async () => {
  expect(await parseList(" \n")).toEqual({ rows: [], columns: [], hasHead: false });
});
