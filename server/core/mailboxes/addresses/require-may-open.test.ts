import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";

import * as schema from "#drizzle/schema/index.ts";

const CORE = join(import.meta.dirname, "../..");

/** Writing these decides who reads an address. */
const DECIDING = new Set([
  "addresses",
  "aliases",
  "mailboxes",
  "mailbox_shares",
  "groups",
  "group_members",
  "group_units",
  "mailbox_rules",
  "app_passwords",
  "mailbox_identities",
]);

/** Reading these shows a message. */
const CONTENTS = new Set(["quarantine_contents", "received_contents", "received_attachments"]);

/** Shows a temporary password, or creates a link to set one. */
const GIVES_PASSWORD = /\bunseal\("temporary_password"|\bstartStep\([^)]*\bmailbox\b/;

/** Checks that the caller may open the address, itself or through a function that does. */
const ASKS = /\b(requireMayOpen|requireMayDelete|isBeyondOwners|reserveAddress)\(/;

/** Functions that needn't check, by reason. */
const EXEMPT: Record<string, string[]> = {
  "their callers ask": [
    "access/second-factors/factor-changes.ts clearFactors",
    "access/single-sign-on/mailbox-links.ts deleteMailboxLink",
    "access/single-sign-on/mailbox-links.ts linkMailbox",
    "mail/guard/guard.ts containMailbox",
    "mail/received/received-emails.ts loadImages",
    "mailboxes/mailbox-rules/mailbox-rules.ts storeRules",
    "mailboxes/mailboxes/mailbox-removal.ts handOver",
    "mailboxes/mailboxes/rename-mailbox.ts renameInGroups",
    "mailboxes/mailboxes/rename-mailbox.ts renameReferences",
  ],
  "restoreDeleted asks once everything is back": [
    "domains/domains/deleted-domains.ts restoreDomainAddresses",
    "mailboxes/deleted/deleted-addresses.ts restoreAddresses",
    "mailboxes/deleted/deleted-addresses.ts restoreAlias",
    "mailboxes/deleted/deleted-addresses.ts restoreGroup",
    "mailboxes/deleted/deleted-mailboxes.ts restoreDeletedMailbox",
    "mailboxes/deleted/deleted-mailboxes.ts takeBackAddresses",
    "mailboxes/groups/group-units.ts restoreUnitsOfGroups",
    "mailboxes/deleted/deleted-addresses.ts restoreShares",
    "shared/deleted-items/deleted-items.ts restoreRows",
  ],
  "they give no one access": [
    "access/sign-in/steps.ts endGivenCredentials",
    "domains/domains/deleted-domains.ts removeAddresses",
    "mail/guard/guard.ts guardSending",
    "mail/guard/guard.ts releaseSending",
    "mail/received/received-emails.ts listFiles",
    "mailboxes/account/language.ts chooseLanguage",
    "mailboxes/app-passwords/app-passwords.ts deleteAppPassword",
    "mailboxes/app-passwords/app-passwords.ts recordAppPasswordUse",
    "mailboxes/groups/group-units.ts removeUnits",
    "mailboxes/groups/groups.ts removeMembers",
    "mailboxes/groups/groups.ts updateGroup",
    "mailboxes/mail-hosts/mail-hosts.ts joinMailHosts",
    "mailboxes/mail-hosts/moves.ts switchHost",
    "mailboxes/mailboxes/mailboxes.ts moveMailbox",
    "mailboxes/mailboxes/mailboxes.ts write",
    "mailboxes/org-units/units.ts deleteUnit",
    "mailboxes/shares/shares.ts removeShare",
  ],
  "they store mail, or deliver it to whom it is for": [
    "mail/group-posts/moderation.ts removePendingPost",
    "mail/group-posts/moderation.ts expireOldest",
    "mail/quarantine/quarantine-message.ts quarantineMessage",
    "mail/quarantine/release-quarantined.ts release",
    "mail/quarantine/release-quarantined.ts splitOff",
    "mail/received/parse-received.ts parseReceived",
    "mail/received/receive-email.ts receiveEmail",
  ],
  "for the person, with a link that was sent to them": [
    "access/people/person-passwords.ts resetPassword",
  ],
  "for operators only": [
    "access/second-factors/factor-changes.ts removeAllFactors",
    "operations/erasure/internal/erased-rows.ts eraseFromLists",
    "operations/export/exported-tables.ts EXPORTED_MESSAGES",
    "operations/export/exported-tables.ts LEFT_OUT",
    "operations/sandbox/sandbox.ts ensureMailbox",
  ],
};

const TABLES = Object.entries(schema).flatMap(([variable, value]) =>
  is(value, PgTable) ? [{ variable, name: getTableName(value) }] : [],
);

const functions = readdirSync(CORE, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .flatMap((file) =>
    readFileSync(join(CORE, file), "utf8")
      .split(/^(?=(?:export )?(?:async )?(?:function|const) )/m)
      .map((text) => ({ name: `${file} ${/(?:function|const) (\w+)/.exec(text)?.[1]}`, text }))
      .filter(({ text }) => !text.startsWith("import")),
  )
  .filter(
    ({ text }) =>
      GIVES_PASSWORD.test(text) ||
      TABLES.some(
        ({ variable, name }) =>
          (DECIDING.has(name) && writes(text, variable, name)) ||
          (CONTENTS.has(name) && new RegExp(`\\b(${variable}|${name})\\b`).test(text)),
      ),
  );

/** Inserts, updates and deletes by the query builder or in SQL; rows that are restored; factors that are removed. */
function writes(text: string, variable: string, name: string): boolean {
  const byBuilder = `\\.(insert|update|delete)\\(\\s*${variable}\\s*\\)`;
  const inSql = `\\b(insert into|update|delete from)\\s+("?${name}\\b|\\$\\{${variable}\\})`;
  const restored = `\\brestoreRows\\([^)]*\\b(${variable}|table)\\b`;
  const factors = name === "mailboxes" ? "|\\bclearFactors\\(|\\blinkMailbox\\(" : "";
  return new RegExp(`${byBuilder}|${inSql}|${restored}${factors}`).test(text);
}

test("every function that changes who reads an address, or shows its mail or password, checks the caller", () => {
  const silent = functions.filter(({ text }) => !ASKS.test(text)).map(({ name }) => name);
  expect(silent.toSorted()).toEqual(Object.values(EXEMPT).flat().toSorted());
});
