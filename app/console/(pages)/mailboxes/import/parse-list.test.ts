import { expect, test } from "vitest";

import { toImportLines, parseList } from "./parse-list.ts";

const lines = async (text: string) => {
  const { rows, columns } = await parseList(text);
  return toImportLines({ rows, numbers: [] }, columns);
};
const ann = { email: "ann@example.com", name: "Ann Lee" };

test.each([
  ["commas with headings", "email,name\nann@example.com,Ann Lee\n"],
  ["semicolons, as written by European spreadsheets", "Name;E-mail\r\nAnn Lee;ann@example.com"],
  ["tabs, as copied from a spreadsheet", "ann@example.com\tAnn Lee"],
  ["quotes, a byte order mark and empty lines", '\ufeff"ann@example.com","Ann Lee"\n\n ,\n'],
  ["an unknown column", "Shoe size,Email,Name\n42,ann@example.com,Ann Lee"],
  [
    "first and last names, as in a Google Workspace export",
    "First Name [Required],Last Name [Required],Email Address [Required]\nAnn,Lee,ann@example.com",
  ],
  ["headings of another system", "Email Address [Required],Display name\nann@example.com,Ann Lee"],
])("%s", async (_, text) => {
  expect(await lines(text)).toEqual([ann]);
});

test("all columns in the default order without headings", async () => {
  const text = 'ann@example.com,Ann Lee,"2,048",Sales / Berlin,press@example.com; hi@example.com';
  expect(await lines(text)).toEqual([
    {
      ...ann,
      quotaMb: 2_048,
      unit: "Sales / Berlin",
      aliases: ["press@example.com", "hi@example.com"],
    },
  ]);
});

test("proxy addresses of Microsoft 365 become aliases", async () => {
  const text =
    "Display name,User principal name,Proxy addresses\nAnn Lee,ann@example.com,SMTP:ann@example.com+smtp:a+b@example.com+SPO:x@y+smtp:ann@example.onmicrosoft.com";
  expect(await lines(text)).toEqual([{ ...ann, aliases: ["a+b@example.com"] }]);
});

test("an export of mailcow has sizes in bytes, and inactive mailboxes are skipped", async () => {
  const mailbox = (username: string, active: number) => ({
    username,
    name: "Ann Lee",
    quota: 3 * 1024 ** 3,
    localPart: "x",
    active,
  });
  const json = JSON.stringify([mailbox("ann@example.com", 1), mailbox("old@example.com", 0)]);
  const { rows, columns, numbers, exported } = await parseList(json);
  expect(toImportLines({ rows, numbers }, columns)).toEqual([
    { ...ann, quotaMb: 3_072, number: 1 },
  ]);
  expect(numbers).toEqual([1]);
  expect(exported).toEqual({
    from: "mailcow",
    skipped: [{ line: 2, address: "old@example.com", problem: "Inactive in mailcow" }],
  });
});

test("JSON of any other system is mapped by its field names", async () => {
  expect(await lines('[{"mail":"ann@example.com","displayName":"Ann Lee"}]')).toEqual([ann]);
  await expect(parseList('[{"mail":')).rejects.toThrow("Line 1 isn't valid JSON");
});

test("the status column of a Google Workspace export", async () => {
  const text =
    "Email Address [Required],First Name [Required],Last Name [Required],Status [READ ONLY]\nann@example.com,Ann,Lee,Suspended";
  expect(await lines(text)).toEqual([{ ...ann, status: "Suspended" }]);
});

test("an invalid size becomes 0, which the server rejects", async () => {
  expect(await lines("email,name,quota_mb\nann@example.com,Ann Lee,large")).toEqual([
    { ...ann, quotaMb: 0 },
  ]);
});

test("a repeated column is used once, and missing cells are empty", async () => {
  const { columns } = await parseList("email,email,name\na@b.example");
  expect(columns).toEqual(["email", null, "name"]);
  expect(await lines("email,name\nann@example.com")).toEqual([{ ...ann, name: "" }]);
});

test("blank text has no lines", async () => {
  expect(await parseList(" \n")).toEqual({
    rows: [],
    numbers: [],
    columns: [],
    hasHead: false,
    exported: null,
  });
});

test("lines have the numbers that a spreadsheet shows", async () => {
  const text = "email,name\n\nann@example.com,Ann Lee\n , \nben@example.com,Ben Ito\n";
  expect((await parseList(text)).numbers).toEqual([3, 5]);
  expect((await parseList("ann@example.com,Ann Lee")).numbers).toEqual([1]);
});

test("a private address, under its heading", async () => {
  const text = "Email,Name,Private address\nann@example.com,Ann Lee, a@home.example\nb@x.test,Ben,";
  expect(await lines(text)).toEqual([
    { ...ann, instructionsTo: "a@home.example" },
    { email: "b@x.test", name: "Ben" },
  ]);
});
