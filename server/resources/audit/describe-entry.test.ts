import { globSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { DESCRIBED_ACTIONS, describeEntry } from "./describe-entry.ts";

test("every recorded action has a description", () => {
  const files = globSync("server/core/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const written = files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const actions = /(?:recordAudit(?:s|sAcross)?\(\s*[^;]*?|\baction: )"([a-z_]+\.[a-z_]+)"/g;
    return [...text.matchAll(actions)].map(([, name]) => name!);
  });
  expect(written.length).toBeGreaterThan(50);
  expect([...new Set(written)].filter((action) => !DESCRIBED_ACTIONS.includes(action))).toEqual([]);
});

test.each([
  [
    "mailbox.updated",
    { mailbox: "ben@x.test", changed: { quotaMb: { from: 5120, to: 10_240 } } },
    "changed the storage limit of ben@x.test from 5 GB to 10 GB",
  ],
  [
    "mailbox.updated",
    {
      mailbox: "ben@x.test",
      changed: { name: { from: "", to: "Ben" }, forcePasswordChange: { from: false, to: true } },
    },
    "changed the name of ben@x.test from (none) to Ben, required ben@x.test to change the password at the next sign-in",
  ],
  [
    "mailbox_rules.updated",
    { mailbox: "ben@x.test", changed: ["forwardTo", "keepCopy", "vacation", "filters"] },
    "changed the mail rules (forwarding, automatic replies, filters) of ben@x.test",
  ],
  [
    "admin.updated",
    { email: "a@x.test", changed: { isOwner: { from: false, to: true }, rolesAdded: ["A", "B"] } },
    "made a@x.test an owner, assigned the roles A, B to a@x.test",
  ],
  [
    "api_key.revoked",
    { name: "Shop", canceledEmails: 1 },
    "revoked the API key Shop, which canceled 1 scheduled email",
  ],
  ["invitation.created", { email: "a@x.test", isOwner: true }, "invited a@x.test as an owner"],
  [
    "group.renamed",
    { group: "g@x.test", from: "", to: "G" },
    "renamed the group g@x.test from (none) to G",
  ],
  [
    "domain.status_changed",
    { name: "x.test", before: "pending", after: "partially_verified" },
    "changed the status of x.test from pending to partially verified",
  ],
  [
    "mailbox.shared",
    { mailbox: "b@x.test", with: "team@x.test", access: "write", send_as: true },
    "shared the mailbox b@x.test with team@x.test, to read and write and to send as it",
  ],
  [
    "mailbox.shared",
    { mailbox: "b@x.test", with: "team@x.test", access: "read", send_as: false },
    "shared the mailbox b@x.test with team@x.test, to read",
  ],
  ["mailbox.restored", { mailbox: "b@x.test" }, "restored the mailbox b@x.test"],
  [
    "mailbox.undeleted",
    { mailbox: "b@x.test", aliases: [] },
    "restored the deleted mailbox b@x.test and its mail",
  ],
  ["domain.deleted_permanently", { name: "x.test" }, "permanently deleted the domain x.test"],
  ["suppressions.removed", { count: 3 }, "removed 3 addresses from the suppression list"],
  ["gadget.turned_on", { name: "X" }, "turned on: gadget X"],
  ["odd", {}, "odd"],
  ["toString.constructor", { name: { deep: 1 }, changed: 5 }, "constructor: to string"],
])("%s %j", (action, details, description) => {
  expect(describeEntry(action, details)).toBe(description);
});

test("descriptions cope with missing and malformed details", () => {
  for (const action of DESCRIBED_ACTIONS)
    for (const details of [
      {},
      { changed: null, name: null, emails: 5 },
      { changed: "x", to: {} },
    ]) {
      const description = describeEntry(action, details);
      expect(description).not.toMatch(/undefined|\[object|NaN/);
      expect(description.length).toBeGreaterThan(3);
    }
});
