import { type Privilege, PRIVILEGES } from "./privileges.ts";

/** Privileges that are about mailboxes: a role may give them for a part of the company only. */
export const UNIT_PRIVILEGES = [
  "view_users",
  "create_users",
  "update_users",
  "suspend_users",
  "reset_user_passwords",
] as const satisfies readonly Privilege[];

export type UnitPrivilege = (typeof UNIT_PRIVILEGES)[number];

/** What an admin may do at this moment. */
export type Rights = {
  /** Held in the whole company. */
  privileges: ReadonlySet<Privilege>;
  /** Held in some units only, by roles limited to them: these units and all below. */
  units: ReadonlyMap<Privilege, ReadonlySet<number>>;
};

/** A role as `rolesOf` reads it. */
export type HeldRole = {
  privileges: string[];
  /** The unit that it is limited to and all below; null for the whole company. */
  units: number[] | null;
};

/** An admin with what was granted. */
export type Granted = { isOwner: boolean; privileges: string[]; roles: HeldRole[] };

/**
 * The rights of an admin: an owner holds everything, anybody else what was granted. A role that is
 * limited to a unit gives nothing that concerns the whole company, whatever stands in it.
 */
export function rightsOf({ isOwner, privileges, roles }: Granted): Rights {
  if (isOwner) return { privileges: new Set([...PRIVILEGES, "owner"]), units: new Map() };
  const everywhere = roles.flatMap((role) => (role.units === null ? role.privileges : []));
  return {
    privileges: new Set([...privileges, ...everywhere].filter(isPrivilege)),
    units: unitsOf(roles),
  };
}

/** "owner" is none: nobody becomes one by a role. */
const isPrivilege = (text: string): text is Privilege =>
  (PRIVILEGES as readonly string[]).includes(text);

function unitsOf(roles: HeldRole[]): Rights["units"] {
  const units = new Map<Privilege, Set<number>>();
  for (const role of roles)
    for (const privilege of UNIT_PRIVILEGES)
      if (role.units !== null && role.privileges.includes(privilege))
        units.set(privilege, new Set([...(units.get(privilege) ?? []), ...role.units]));
  return units;
}

/** Whether the privilege is held for what belongs to a unit. */
export const mayIn = (rights: Rights, privilege: UnitPrivilege, unitId: number): boolean =>
  rights.privileges.has(privilege) || (rights.units.get(privilege)?.has(unitId) ?? false);

/** Whether the privilege is held for any unit at all. */
export const maySomewhere = (rights: Rights, privilege: Privilege): boolean =>
  rights.privileges.has(privilege) || (rights.units.get(privilege)?.size ?? 0) > 0;
