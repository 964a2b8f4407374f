import { PRIVILEGES, type Privilege } from "#server/core/access/rights/privileges.ts";
import { UNIT_PRIVILEGES } from "#server/core/access/rights/rights.ts";

import type { HeldRoleName, ShownAdmin } from "./shown-admin.ts";

/** Where a privilege comes from. */
export type Source =
  | { kind: "owner" }
  | { kind: "direct" }
  /** `unitName` is set when the role is limited to a unit. */
  | {
      kind: "role";
      roleId: string;
      roleName: string;
      orgUnitId: number | null;
      unitName: string | null;
    };

export type Explained = { privilege: Privilege; through: Source[] };

type Person = Pick<ShownAdmin, "isOwner" | "privileges" | "roles">;

/** Lists all privileges with their sources; a privilege the admin lacks has no sources. */
export function explainRights(person: Person): Explained[] {
  const all = PRIVILEGES.map((privilege) => ({ privilege, through: sourcesOf(person, privilege) }));
  return [...all, { privilege: "owner", through: person.isOwner ? [{ kind: "owner" }] : [] }];
}

function sourcesOf(person: Person, privilege: Privilege): Source[] {
  if (person.isOwner) return [{ kind: "owner" }];
  const through = person.roles.filter((role) => doesGive(role, privilege)).map(asSource);
  return person.privileges.includes(privilege) ? [{ kind: "direct" }, ...through] : through;
}

function doesGive({ privileges, orgUnitId }: HeldRoleName, privilege: Privilege): boolean {
  const isOfMailboxes = (UNIT_PRIVILEGES as readonly string[]).includes(privilege);
  return privileges.includes(privilege) && (orgUnitId === null || isOfMailboxes);
}

const asSource = ({ id, name, orgUnitId, unitName }: HeldRoleName): Source => ({
  ...{ kind: "role", roleId: id, roleName: name, orgUnitId, unitName },
});
