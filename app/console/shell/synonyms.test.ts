import { expect, test } from "vitest";

import { type Privilege, PRIVILEGES } from "#server/universal/privileges.ts";

import { localGroups, paletteGroups } from "./palette-groups.ts";
import { matchItem } from "./synonyms.ts";

const privileges: Privilege[] = [...PRIVILEGES, "owner"];

/** What the palette lists for an owner who is an operator, before anything that the server finds. */
function find(query: string, isOperator = true) {
  const me = { privileges, wholePrivileges: privileges, isOperator, isLocalMode: false };
  const local = localGroups({ ...me, hasSeveralCompanies: true }, []);
  return paletteGroups({ local, query, results: [], searches: [] }).flatMap(({ label, items }) =>
    items.map((item) => ({ group: label, label: item.label })),
  );
}

test.each([
  ["backup", "Backups"],
  ["forward", "Mailboxes"],
  ["forwarding outside", "Forwarding outside your company"],
  ["vacation", "Mailboxes"],
  ["out of office", "Mailboxes"],
  ["rename", "Mailboxes"],
  ["rename mailbox", "Mailboxes"],
  ["alias", "Mailboxes"],
  ["quota", "Mailboxes by storage used"],
  ["storage limit", "Storage limit of new mailboxes"],
  ["sso", "Single sign-on"],
  ["saml", "Single sign-on"],
  ["2fa", "Two-factor authentication of all admins"],
  ["passkey", "Your password and second factor"],
  ["spam", "Quarantine"],
  ["dns", "Domains"],
  ["dkim", "Domains"],
  ["add domain", "Create domain"],
  ["invoice", "Usage and limits"],
  ["rate limit", "Usage and limits"],
  ["api key", "API keys"],
  ["smtp", "API keys"],
  ["whitelist", "IP allow-list for API keys"],
  ["bounce", "Bounced emails"],
  ["unsubscribe", "Suppressions"],
  ["blacklist", "Suppressions"],
  ["new user", "Create mailbox"],
  ["csv", "Import mailboxes"],
  ["distribution list", "Groups"],
  ["department", "Units"],
  ["undelete", "Deleted"],
  ["permissions", "Roles"],
  ["who changed", "Audit log"],
  ["missing", "Mail log"],
  ["alarm", "Health"],
  ["gdpr", "Data erasure"],
  ["imap", "IMAP access"],
  ["docs", "API reference"],
  ["log out everywhere", "Your sessions"],
  ["outlook", "Connect a mail app"],
])("%j finds %j first", (query, label) => {
  expect(find(query)[0]).toMatchObject({ label });
});

test("help comes after pages, commands and settings", () => {
  for (const query of ["quota", "forward", "bounce", "spam", "dns", "backup", "webhook"]) {
    const groups = find(query).map(({ group }) => group.endsWith("Help"));
    expect(groups, query).toContain(true);
    expect(groups.lastIndexOf(false), query).toBeLessThan(groups.indexOf(true));
  }
});

test("settings of the server are found by operators only", () => {
  expect(find("backup", false)).toEqual([]);
});

test("an item’s own words count more than synonyms", () => {
  const item = { label: "Storage limit of new mailboxes", detail: "Unit policies" };
  expect(matchItem(item, "limit unit")).toBe("words");
  expect(matchItem(item, "quota unit")).toBe("words");
  expect(matchItem(item, "policies GB")).toBe("synonyms");
  expect(matchItem(item, "domain")).toBeNull();
});
