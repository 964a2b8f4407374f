import { expect, test } from "vitest";

import { effectivePrivileges, hasPrivilegeAnywhere, hasPrivilegeIn } from "./privileges.ts";
import { PRIVILEGES, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";

const limited = (units: number[], privileges: readonly string[] = UNIT_PRIVILEGES) => ({
  privileges: [...privileges],
  units,
});

const nobody = { isOwner: false, privileges: [], roles: [] };

test("gives an owner every privilege", () => {
  const held = effectivePrivileges({ ...nobody, isOwner: true });
  expect([...held.privileges]).toEqual([...PRIVILEGES, "owner"]);
  expect(hasPrivilegeIn(held, "view_users", 7)).toBe(true);
});

test("limits a unit role to mailbox privileges in its units", () => {
  const held = effectivePrivileges({
    ...nobody,
    roles: [limited([1, 2], [...PRIVILEGES, "owner", "x"])],
  });
  expect(held.privileges.size).toBe(0);
  expect([...held.units.keys()]).toEqual([...UNIT_PRIVILEGES]);
  expect(hasPrivilegeIn(held, "view_users", 2)).toBe(true);
  expect(hasPrivilegeIn(held, "view_users", 3)).toBe(false);
  expect(hasPrivilegeAnywhere(held, "view_users")).toBe(true);
  expect(hasPrivilegeAnywhere(held, "domains")).toBe(false);
});

test("combines roles and direct privileges", () => {
  const roles = [
    limited([1], ["view_users"]),
    limited([2], ["view_users", "update_users"]),
    { privileges: ["domains"], units: null },
  ];
  const held = effectivePrivileges({ isOwner: false, privileges: ["view_groups"], roles });
  expect(held.privileges).toEqual(new Set(["view_groups", "domains"]));
  expect(held.units.get("view_users")).toEqual(new Set([1, 2]));
  expect(held.units.get("update_users")).toEqual(new Set([2]));
});

test("ignores owner and unknown names in grants", () => {
  const privileges = ["owner", "everything"];
  const held = effectivePrivileges({
    ...nobody,
    privileges,
    roles: [{ privileges, units: null }],
  });
  expect(held.privileges.size).toBe(0);
});

test("grants nothing for a role whose unit was deleted", () => {
  const held = effectivePrivileges({ ...nobody, roles: [limited([])] });
  expect(hasPrivilegeAnywhere(held, "view_users")).toBe(false);
});
