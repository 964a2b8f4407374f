import { type Privilege, privilegeLabel } from "#server/core/access/privileges/privileges.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  hasPrivilegeIn,
  type HeldPrivileges,
  type UnitPrivilege,
} from "#server/core/access/privileges/held-privileges.ts";

/** @throws Refusal `invalid_permission` if the caller lacks the privilege in the unit */
export function requirePrivilegeIn(
  callerPrivileges: HeldPrivileges,
  privilege: UnitPrivilege,
  unitId: number,
): void {
  if (hasPrivilegeIn(callerPrivileges, privilege, unitId)) return;
  throw new Refusal(
    "invalid_permission",
    `You need the ${privilegeLabel(privilege)} privilege in the mailbox's unit`,
  );
}

/** @throws Refusal `invalid_permission` if the caller lacks the privilege in the whole company */
export function requireCompanyPrivilege(
  callerPrivileges: HeldPrivileges,
  privilege: Privilege,
): void {
  if (callerPrivileges.privileges.has(privilege)) return;
  throw new Refusal("invalid_permission", `You need the ${privilegeLabel(privilege)} privilege`);
}
