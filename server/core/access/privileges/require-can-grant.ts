import { privilegeLabel, type Privilege, PRIVILEGES } from "./privileges.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  hasPrivilegeIn,
  type HeldPrivileges,
  UNIT_PRIVILEGES,
  type UnitPrivilege,
} from "./held-privileges.ts";

/** What a role grants: privileges in a unit and its descendants, or in the whole company. */
export type Grant = { privileges: readonly string[]; orgUnitId: number | null };

const isUnitPrivilege = (text: string): text is UnitPrivilege =>
  (UNIT_PRIVILEGES as readonly string[]).includes(text);

/** Leaves out unknown privileges and, for a role limited to a unit, those that aren't about mailboxes. */
export const grantedPrivileges = ({ privileges, orgUnitId }: Grant): Privilege[] =>
  PRIVILEGES.filter(
    (name) => privileges.includes(name) && (orgUnitId === null || isUnitPrivilege(name)),
  );

/** The granted privileges that the grantor lacks in that unit or company. */
export const missingPrivileges = (held: HeldPrivileges, given: Grant): Privilege[] =>
  grantedPrivileges(given).filter((name) => {
    const { orgUnitId } = given;
    if (orgUnitId === null || !isUnitPrivilege(name)) return !held.privileges.has(name);
    return !hasPrivilegeIn(held, name, orgUnitId);
  });

/**
 * An admin can grant only the privileges they hold.
 *
 * @param what subject of the error message, such as "The role Helpdesk"
 * @throws Refusal `not_allowed`
 */
export function requireCanGrant(held: HeldPrivileges, given: Grant, what: string): void {
  const lacking = missingPrivileges(held, given);
  if (lacking.length === 0) return;
  const names = lacking.map(privilegeLabel).join(", ");
  const where = given.orgUnitId === null ? "" : " in that unit";
  throw new Refusal("not_allowed", `${what} includes ${names}, which you don't have${where}`);
}
