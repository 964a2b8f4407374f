import { expect, test } from "vitest";

import { readAccounts } from "./read-accounts.ts";

test("reads accounts, passwords and mailboxes from CSV", async () => {
  const csv =
    '\uFEFFMailbox, account ,password\r\nann@x.test,ann,"a,""b"" "\n\nbob@x.test,bob,secret\n';
  expect(await readAccounts(csv)).toEqual([
    { account: "ann", secret: 'a,"b" ', mailbox: "ann@x.test" },
    { account: "bob", secret: "secret", mailbox: "bob@x.test" },
  ]);
});

test("reads a list of addresses if one secret is for all accounts", async () => {
  expect(await readAccounts("account\nann@x.test\nbob@x.test\n", "key")).toEqual([
    { account: "ann@x.test", secret: "key", mailbox: "ann@x.test" },
    { account: "bob@x.test", secret: "key", mailbox: "bob@x.test" },
  ]);
  const csv = "account,password,mailbox\nann@x.test,own,a@x.test\nbob@x.test,,\n";
  expect(await readAccounts(csv, "key")).toEqual([
    { account: "ann@x.test", secret: "key", mailbox: "a@x.test" },
    { account: "bob@x.test", secret: "key", mailbox: "bob@x.test" },
  ]);
  await expect(readAccounts("mailbox\na@x.test\n", "key")).rejects.toThrow("Missing: account");
});

test.each([
  ["account,mailbox\nann,ann@x.test\n", "Missing: password"],
  ["account,password,mailbox\n", "no accounts"],
  ["account,password,mailbox\nann,secret,ann@x.test\nbob,,bob@x.test\n", "Line 3"],
])("says what is missing in %j", async (csv, message) => {
  await expect(readAccounts(csv)).rejects.toThrow(message);
});
