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

test.each([
  ["account,mailbox\nann,ann@x.test\n", "Missing: password"],
  ["account,password,mailbox\n", "no accounts"],
  ["account,password,mailbox\nann,secret,ann@x.test\nbob,,bob@x.test\n", "Line 3"],
])("says what is missing in %j", async (csv, message) => {
  await expect(readAccounts(csv)).rejects.toThrow(message);
});
