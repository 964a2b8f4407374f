import { expect, test } from "vitest";

import { parseTable } from "./parse-table.ts";
import { readUsers, userListFormat } from "./read-users.ts";

async function read(...contents: string[]) {
  const files = [];
  for (const content of contents) files.push(await parseTable(content));
  const { format, users, skipped } = readUsers(files);
  return {
    format,
    users: users.map(({ line, email, name, quotaMb, unit, aliases }) =>
      [line, email, name, quotaMb ?? "", unit, aliases.join(" ")].join("|"),
    ),
    skipped: skipped.map(({ line, address, problem }) => `${line} ${address}: ${problem}`),
  };
}

test("reads the users of a Google Workspace", async () => {
  const head =
    "First Name [Required],Last Name [Required],Email Address [Required],Password [Required],Org Unit Path [Required],Status [READ ONLY]";
  const csv = `${head}\nAnn,Lee,ann@x.test,****,/Sales/Berlin,Active\nBen,,ben@x.test,****,/,Suspended\n`;
  expect(await read(csv)).toEqual({
    format: "Google Workspace",
    users: ["2|ann@x.test|Ann Lee||/Sales/Berlin|"],
    skipped: ["3 ben@x.test: Suspended or archived in Google Workspace"],
  });
});

test("reads the users of Microsoft 365 with their proxy addresses", async () => {
  const csv = [
    "Block credential,Display name,First name,Last name,Proxy addresses,User principal name",
    "False,Ann Lee,Ann,Lee,SMTP:ann.lee@x.test+smtp:a+b@x.test+SPO:SPO_1@x+smtp:ann@x.onmicrosoft.com,ann@x.onmicrosoft.com",
    "True,,Ben,Ito,,ben@x.test",
    "False,Guest,,,,g_y.test#EXT#@x.onmicrosoft.com",
  ].join("\n");
  expect(await read(csv)).toEqual({
    format: "Microsoft 365",
    users: ["2|ann.lee@x.test|Ann Lee|||a+b@x.test", "3|ben@x.test|Ben Ito|||"],
    skipped: ["4 g_y.test#EXT#@x.onmicrosoft.com: A guest of another organization"],
  });
});

test("reads mailboxes and aliases of mailcow", async () => {
  const GB = 1024 ** 3;
  const mailbox = (username: string, quota: number, active = 1) => ({
    username,
    active,
    quota,
    name: "Ann",
    local_part: "x",
    domain: "x.test",
  });
  const alias = (address: string, goto: string, active = 1) => ({ id: 1, address, goto, active });
  const mailboxes = [
    mailbox("ann@x.test", 3 * GB),
    mailbox("ben@x.test", 0),
    mailbox("old@x.test", GB, 0),
    mailbox("big@x.test", 900 * GB),
  ];
  const aliases = [
    alias("a@x.test", "Ann@x.test"),
    alias("ann@x.test", "ann@x.test"),
    alias("all@x.test", "ann@x.test,ben@x.test"),
    alias("@x.test", "ann@x.test"),
    alias("spam@x.test", "spam@localhost"),
    alias("c@x.test", "carl@x.test"),
    alias("off@x.test", "ann@x.test", 0),
  ];
  expect(await read(JSON.stringify(aliases), JSON.stringify(mailboxes))).toEqual({
    format: "mailcow",
    users: [
      "1|ann@x.test|Ann|3072||a@x.test",
      "2|ben@x.test|Ann|||",
      "4|big@x.test|Ann|51200||",
      "6|carl@x.test||||c@x.test",
    ],
    skipped: [
      "3 old@x.test: Inactive in mailcow",
      "3 all@x.test: Delivers to several addresses. Create a group instead",
      "4 @x.test: A catch-all. Add it in the console",
      "5 spam@x.test: Discards its mail in mailcow",
      "7 off@x.test: Inactive in mailcow",
    ],
  });
});

test("reads the list that the console accepts", async () => {
  const csv = 'email,name,quota_mb,unit,aliases\nann@x.test,Ann,"1,024",Sales,a@x.test; b@x.test\n';
  expect(await read(csv)).toMatchObject({
    format: "CSV",
    users: ["2|ann@x.test|Ann|1024|Sales|a@x.test b@x.test"],
    skipped: [],
  });
});

test.each([
  ["address,goto\na@x.test,ann@x.test", "mailcow"],
  ["a,b\n1,2", null],
])("the format of %j is %s", async (content, format) => {
  expect(userListFormat(await parseTable(content))).toBe(format);
});
