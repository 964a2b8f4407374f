import { privilegeLabel } from "./privileges.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { hasPrivilegeIn, type HeldPrivileges, UNIT_PRIVILEGES } from "./held-privileges.ts";

/**
 * Keeps admins from gaining privileges on mailboxes by moving them to a unit where they hold more.
 *
 * @param from the units where the mailboxes are
 * @param to the unit that they would be in, or below
 * @throws Refusal `invalid_permission`
 */
export function requireNoPrivilegeEscalation(
  callerPrivileges: HeldPrivileges,
  from: Iterable<number>,
  to: number,
): void {
  const units = [...from];
  const gained = UNIT_PRIVILEGES.filter(
    (name) =>
      hasPrivilegeIn(callerPrivileges, name, to) &&
      !units.every((unit) => hasPrivilegeIn(callerPrivileges, name, unit)),
  );
  if (gained.length === 0) return;
  throw new Refusal(
    "invalid_permission",
    `In the new unit you would have ${gained.map(privilegeLabel).join(", ")}, which you don't have in the current one. Ask another admin`,
  );
}
