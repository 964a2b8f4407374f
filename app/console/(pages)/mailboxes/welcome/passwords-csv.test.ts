import { expect, test } from "vitest";

import { passwordsCsv } from "./passwords-csv.ts";

test("escapes formulas, quotes, and commas in names", async () => {
  const password = "aB3";
  const file = await passwordsCsv([
    { address: "ann@example.com", name: 'Lee, "Ann"', password },
    { address: "bob@example.com", name: '=HYPERLINK("http://x")', password },
    { address: "eve@example.com", name: "@eve", password },
  ]);
  expect(file.split("\r\n")).toEqual([
    "\ufeffemail,name,temporary_password",
    'ann@example.com,"Lee, ""Ann""",aB3',
    `bob@example.com,"'=HYPERLINK(""http://x"")",aB3`,
    `eve@example.com,"'@eve",aB3`,
    "",
  ]);
});
