import { expect, test } from "vitest";

import { navigation } from "./navigation.ts";
import { visibleNavigation } from "./visible-navigation.ts";

const seen = (privileges: string[], is_operator = false, whole_privileges = privileges) =>
  visibleNavigation(navigation, { privileges, whole_privileges, is_operator }).flatMap(
    ({ group, entries }) => entries.map(({ label }) => `${group}: ${label}`),
  );

test("who may nothing sees what is for everybody", () => {
  expect(seen([])).toEqual(["Send: Overview", "Build: API reference"]);
});

test("one privilege of those that an entry names is enough", () => {
  expect(seen(["domains"])).toContain("Manage: Domains");
  expect(seen(["manage_groups"])).toContain("Mail: Quarantine");
  expect(seen(["manage_groups"])).not.toContain("Mail: Mailboxes");
});

test("who holds a privilege in a unit sees what the unit has, and not what is of the company", () => {
  const ofUnit = seen(["view_users", "update_users"], false, []);
  expect(ofUnit).toContain("Mail: Mailboxes");
  expect(ofUnit).not.toContain("Mail: Quarantine");
});

test("the group of the operators is theirs, and gives them nothing of the company", () => {
  expect(seen([], true)).toContain("Operate: Health");
  expect(seen([], true)).not.toContain("Send: Emails");
  expect(seen(["manage_settings", "manage_admins"]).some((entry) => /^Operate/.test(entry))).toBe(
    false,
  );
});
