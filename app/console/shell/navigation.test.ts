import { expect, test } from "vitest";

import type { Privilege } from "#server/universal/privileges.ts";

import { areaOf, groupsOf, navigation, visibleNavigation } from "./navigation.ts";

const seen = (
  privileges: Privilege[],
  isOperator = false,
  wholePrivileges = privileges,
  server = { isLocalMode: false, hasSeveralCompanies: true },
) =>
  visibleNavigation(navigation, {
    privileges,
    wholePrivileges,
    isOperator,
    ...server,
  }).flatMap(({ group, entries }) => entries.map(({ label }) => `${group}: ${label}`));

test("shows only public entries without privileges", () => {
  expect(seen([])).toEqual(["Send: Overview", "Build: API reference"]);
});

test("needs one of an entry's privileges", () => {
  expect(seen(["domains"])).toContain("Manage: Domains");
  expect(seen(["manage_groups"])).toContain("Mail: Quarantine");
  expect(seen(["manage_groups"])).not.toContain("Mail: Mailboxes");
});

test("shows entries for units, but not for the company, to admins of a unit", () => {
  const ofUnit = seen(["view_users", "update_users"], false, []);
  expect(ofUnit).toContain("Mail: Mailboxes");
  expect(ofUnit).not.toContain("Mail: Quarantine");
});

test("shows the Operate group to operators only, and gives them no company entries", () => {
  expect(seen([], true)).toContain("Operate: Health");
  expect(seen([], true)).not.toContain("Send: Emails");
  expect(seen(["manage_settings", "manage_admins"]).some((entry) => /^Operate/.test(entry))).toBe(
    false,
  );
});

test("leads operators to Go live in local mode only", () => {
  const local = { isLocalMode: true, hasSeveralCompanies: true };
  expect(seen([], true, [], local)).toContain("Operate: Go live");
  expect(seen([], true)).not.toContain("Operate: Go live");
  expect(seen([], false, [], local)).not.toContain("Operate: Go live");
});

test("shows companies and plans once there is a second company, or if Usage is hidden", () => {
  const pages = ["Operate: Companies", "Operate: Plans"];
  const one = { isLocalMode: false, hasSeveralCompanies: false };
  expect(seen([], true)).toEqual(expect.arrayContaining(pages));
  const shown = (privileges: Privilege[]) =>
    seen(privileges, true, privileges, one).filter((entry) => pages.includes(entry));
  expect(shown(["manage_settings"])).toEqual([]);
  expect(shown([])).toEqual(pages);
});

test("keeps the operator pages in an area of their own, so that a company has at most 21 entries", () => {
  expect(areaOf("/console/operate/health")).toBe("operate");
  expect(areaOf("/console/operated")).toBe("company");
  const entries = (area: "company" | "operate") =>
    groupsOf(area, navigation).flatMap(({ entries }) => entries.map(({ href }) => href));
  expect(entries("company").filter((href) => areaOf(href) === "operate")).toEqual([]);
  expect(entries("company").length).toBeLessThanOrEqual(21);
  expect(entries("operate")).toHaveLength(8);
});
