import { expect, test } from "vitest";

import { PRIVILEGES } from "./privileges.ts";

import {
  hasPrivilegeIn,
  hasPrivilegeAnywhere,
  effectivePrivileges,
  UNIT_PRIVILEGES,
} from "./held-privileges.ts";

const limited = (units: number[], privileges: readonly string[] = UNIT_PRIVILEGES) => ({
  privileges: [...privileges],
  units,
});
const nobody = { isOwner: false, privileges: [], roles: [] };

test("gives an owner every privilege", () => {
  const rights = effectivePrivileges({ ...nobody, isOwner: true });
  expect([...rights.privileges]).toEqual([...PRIVILEGES, "owner"]);
  expect(hasPrivilegeIn(rights, "view_users", 7)).toBe(true);
});

test("limits a unit role to mailbox privileges in its units", () => {
  const rights = effectivePrivileges({
    ...nobody,
    roles: [limited([1, 2], [...PRIVILEGES, "owner", "x"])],
  });
  expect(rights.privileges.size).toBe(0);
  expect([...rights.units.keys()]).toEqual([...UNIT_PRIVILEGES]);
  expect(hasPrivilegeIn(rights, "view_users", 2)).toBe(true);
  expect(hasPrivilegeIn(rights, "view_users", 3)).toBe(false);
  expect(hasPrivilegeAnywhere(rights, "view_users")).toBe(true);
  expect(hasPrivilegeAnywhere(rights, "domains")).toBe(false);
});

test("combines roles and direct privileges", () => {
  const roles = [
    limited([1], ["view_users"]),
    limited([2], ["view_users", "update_users"]),
    { privileges: ["domains"], units: null },
  ];
  const rights = effectivePrivileges({ isOwner: false, privileges: ["view_groups"], roles });
  expect(rights.privileges).toEqual(new Set(["view_groups", "domains"]));
  expect(rights.units.get("view_users")).toEqual(new Set([1, 2]));
  expect(rights.units.get("update_users")).toEqual(new Set([2]));
});

test("ignores owner and unknown names in grants", () => {
  const privileges = ["owner", "everything"];
  const rights = effectivePrivileges({
    ...nobody,
    privileges,
    roles: [{ privileges, units: null }],
  });
  expect(rights.privileges.size).toBe(0);
});

test("grants nothing for a role whose unit was deleted", () => {
  const rights = effectivePrivileges({ ...nobody, roles: [limited([])] });
  expect(hasPrivilegeAnywhere(rights, "view_users")).toBe(false);
});
