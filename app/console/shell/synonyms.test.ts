import { expect, test } from "vitest";

import { topics } from "#app/console/(pages)/help/topics.ts";

import { commands, settingPlaces } from "./commands.ts";
import { navigation } from "./navigation.ts";
import { matchItem } from "./synonyms.ts";

const items = [
  ...navigation.flatMap(({ entries }) => entries),
  ...settingPlaces,
  ...commands,
  ...Object.values(topics).map(({ title, about }) => ({ label: title, detail: about })),
];

/** The labels of what is found, by its own words first. */
const find = (query: string) =>
  (["words", "synonyms"] as const).flatMap((by) =>
    items.filter((item) => matchItem(item, query) === by).map(({ label }) => label),
  );

test.each([
  ["backup", "Back up and restore"],
  ["forward", "Mailboxes"],
  ["vacation", "Mailboxes"],
  ["out of office", "Mailboxes"],
  ["quota", "Storage limit"],
  ["sso", "Single sign-on"],
  ["saml", "Single sign-on"],
  ["2fa", "Two-factor authentication of all admins"],
  ["rename", "Company name"],
  ["rename mailbox", "Mailboxes"],
  ["spam", "Quarantine"],
  ["spam", "Mail filtering"],
  ["docs", "API reference"],
  ["log out everywhere", "Your sessions"],
  ["outlook", "Connect a mail app"],
  ["new user", "Create mailbox"],
  ["add domain", "Create domain"],
  ["whitelist", "IP allow-list for API keys"],
  ["permissions", "Roles"],
  ["missing", "Trace a message"],
])("%j finds %j", (query, label) => {
  expect(find(query)).toContain(label);
});

test("an item’s own words count more than synonyms", () => {
  const item = { label: "Single sign-on", detail: "Settings" };
  expect(matchItem(item, "sign single")).toBe("words");
  expect(matchItem(item, "settings SAML")).toBe("synonyms");
  expect(matchItem(item, "domain")).toBeNull();
});
