import { nameOfPrivilege } from "#server/core/access/rights/privileges.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { mayIn, type Rights, type UnitPrivilege } from "#server/core/access/rights/rights.ts";

/** @throws Refusal `invalid_permission` when the privilege is not held for the unit */
export function requireRightIn(rights: Rights, privilege: UnitPrivilege, unitId: number): void {
  if (mayIn(rights, privilege, unitId)) return;
  throw new Refusal(
    "invalid_permission",
    `This takes the privilege ${nameOfPrivilege(privilege)} for the mailbox's unit`,
  );
}
