import {
  type Privilege,
  PRIVILEGES,
  READ_EMAILS,
  UNIT_PRIVILEGES,
  type UnitPrivilege,
} from "#server/universal/privileges.ts";

/** An admin's current privileges. */
export type HeldPrivileges = {
  /** Held in the whole company. */
  privileges: ReadonlySet<Privilege>;
  /** Held in some units only: these units and their descendants. */
  units: ReadonlyMap<Privilege, ReadonlySet<number>>;
};

/** A role as `adminRolesSql` reads it. */
export type RoleGrant = {
  privileges: string[];
  /** The role's unit and its descendants; null for the whole company. */
  units: number[] | null;
};

export type AdminGrants = { isOwner: boolean; privileges: string[]; roles: RoleGrant[] };

/**
 * Computes an admin's privileges: all for an owner, else those granted. A role limited to a unit never grants
 * company-wide privileges, even if it lists them.
 */
export function effectivePrivileges({ isOwner, privileges, roles }: AdminGrants): HeldPrivileges {
  if (isOwner) return { privileges: new Set([...PRIVILEGES, "owner"]), units: new Map() };
  const everywhere = roles.flatMap((role) => (role.units === null ? role.privileges : []));
  return {
    privileges: new Set([...privileges, ...everywhere].filter(isPrivilege)),
    units: unitPrivileges(roles),
  };
}

/** Excludes "owner", which can't be granted. */
const isPrivilege = (text: string): text is Privilege =>
  (PRIVILEGES as readonly string[]).includes(text);

function unitPrivileges(roles: RoleGrant[]): HeldPrivileges["units"] {
  const units = new Map<Privilege, Set<number>>();
  for (const role of roles)
    for (const privilege of UNIT_PRIVILEGES)
      if (role.units !== null && role.privileges.includes(privilege))
        units.set(privilege, new Set([...(units.get(privilege) ?? []), ...role.units]));
  return units;
}

/** Whether the privilege is held in a unit. */
export const hasPrivilegeIn = (
  held: HeldPrivileges,
  privilege: UnitPrivilege,
  unitId: number,
): boolean => held.privileges.has(privilege) || (held.units.get(privilege)?.has(unitId) ?? false);

/** Whether the privilege is held in at least one unit. */
export const hasPrivilegeAnywhere = (held: HeldPrivileges, privilege: Privilege): boolean =>
  held.privileges.has(privilege) || (held.units.get(privilege)?.size ?? 0) > 0;

export const canReadEmails = ({ privileges }: Pick<HeldPrivileges, "privileges">): boolean =>
  READ_EMAILS.some((privilege) => privileges.has(privilege));
