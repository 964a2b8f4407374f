import { PRIVILEGES, type Privilege } from "#server/core/access/privileges/privileges.ts";
import { UNIT_PRIVILEGES } from "#server/core/access/privileges/held-privileges.ts";

import type { AssignedRole, ShownAdmin } from "./shown-admin.ts";

/** Where a privilege comes from. */
export type PrivilegeSource =
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

export type ExplainedPrivilege = { privilege: Privilege; through: PrivilegeSource[] };

type Person = Pick<ShownAdmin, "isOwner" | "privileges" | "roles">;

/** Lists all privileges with their sources; a privilege the admin lacks has no sources. */
export function explainPrivileges(person: Person): ExplainedPrivilege[] {
  const all = PRIVILEGES.map((privilege) => ({
    privilege,
    through: listSources(person, privilege),
  }));
  return [...all, { privilege: "owner", through: person.isOwner ? [{ kind: "owner" }] : [] }];
}

function listSources(person: Person, privilege: Privilege): PrivilegeSource[] {
  if (person.isOwner) return [{ kind: "owner" }];
  const through = person.roles.filter((role) => grants(role, privilege)).map(toSource);
  return person.privileges.includes(privilege) ? [{ kind: "direct" }, ...through] : through;
}

function grants({ privileges, orgUnitId }: AssignedRole, privilege: Privilege): boolean {
  const isOfMailboxes = (UNIT_PRIVILEGES as readonly string[]).includes(privilege);
  return privileges.includes(privilege) && (orgUnitId === null || isOfMailboxes);
}

const toSource = ({ id, name, orgUnitId, unitName }: AssignedRole): PrivilegeSource => ({
  ...{ kind: "role", roleId: id, roleName: name, orgUnitId, unitName },
});
