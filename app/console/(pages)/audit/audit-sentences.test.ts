import { globSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { sentenceOf, TOLD_ACTIONS } from "./audit-sentences.ts";
import { linesOfCsv } from "./lines-of-csv.ts";

test("every action that is written down has a sentence of its own", () => {
  const files = globSync("server/core/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const written = files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(/recordAudit\(\s*[^;]*?"([a-z_]+\.[a-z_]+)"/g)].map(
      ([, name]) => name!,
    );
  });
  expect(written.length).toBeGreaterThan(50);
  expect([...new Set(written)].filter((action) => !TOLD_ACTIONS.includes(action))).toEqual([]);
});

test.each([
  [
    "mailbox.updated",
    { mailbox: "ben@x.test", changed: { quotaMb: { from: 5120, to: 10_240 } } },
    "changed the size of ben@x.test from 5 GB to 10 GB",
  ],
  [
    "mailbox.updated",
    {
      mailbox: "ben@x.test",
      changed: { name: { from: "", to: "Ben" }, forcePasswordChange: { from: false, to: true } },
    },
    "changed the name of ben@x.test from nothing to Ben, the duty to change the password of ben@x.test from off to on",
  ],
  [
    "admin.updated",
    { email: "a@x.test", changed: { isOwner: { from: false, to: true }, rolesAdded: ["A", "B"] } },
    "made a@x.test an owner, gave a@x.test A, B",
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
    "renamed the group g@x.test from nothing to G",
  ],
  ["gadget.turned_on", { name: "X" }, "turned on: gadget X"],
  ["odd", {}, "odd"],
  ["toString.constructor", { name: { deep: 1 }, changed: 5 }, "constructor: to string"],
])("%s %j", (action, details, sentence) => {
  expect(sentenceOf(action, details)).toBe(sentence);
});

test("no sentence fails or shows holes when the details are not what they should be", () => {
  for (const action of TOLD_ACTIONS)
    for (const details of [
      {},
      { changed: null, name: null, emails: 5 },
      { changed: "x", to: {} },
    ]) {
      const sentence = sentenceOf(action, details);
      expect(sentence).not.toMatch(/undefined|\[object|NaN/);
      expect(sentence.length).toBeGreaterThan(3);
    }
});

test("a cell that a spreadsheet would run is defused", () => {
  const lines = linesOfCsv(
    [
      { actor: "=cmd()", details: { a: '"' } },
      { actor: "@x", details: {} },
    ],
    true,
  );
  expect(lines).toBe('actor,details\r\n"\'=cmd()","{""a"":""\\""""}"\r\n"\'@x",{}\r\n');
});
