import { sql } from "drizzle-orm";

import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  type Privilege,
  PRIVILEGES,
  UNIT_PRIVILEGES,
  type UnitPrivilege,
} from "#server/universal/privileges.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { getAdmin } from "./admins.ts";
import type { AssignedRole, ShownAdmin } from "./team.ts";

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
  kind: "role",
  roleId: id,
  roleName: name,
  orgUnitId,
  unitName,
});

export type ExplainedForMailbox = {
  mailbox: string;
  /** The mailbox's unit and its ancestors, innermost first. */
  units: string[];
  privileges: { privilege: UnitPrivilege; through: PrivilegeSource[] }[];
};

/**
 * Lists an admin's privileges on one mailbox, each with its sources.
 *
 * @param callerPrivileges the caller's; they must be able to see the mailbox
 * @throws Refusal `not_found` if the admin or the mailbox doesn't exist or the caller can't see the mailbox
 */
export async function explainPrivilegesOnMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  { adminId, mailbox }: { adminId: string; mailbox: string },
): Promise<ExplainedForMailbox> {
  const admin = await getAdmin(ctx, adminId);
  const address = mailbox.trim().toLowerCase();
  const units = await listUnitsAbove(ctx, address);
  const [own] = units;
  if (!own || !hasPrivilegeIn(callerPrivileges, "view_users", own.id))
    throw new Refusal("not_found", "Mailbox not found");
  const ids = new Set(units.map(({ id }) => id));
  const appliesHere = (source: PrivilegeSource) =>
    source.kind !== "role" || source.orgUnitId === null || ids.has(source.orgUnitId);
  const explained = explainPrivileges(admin);
  return {
    mailbox: address,
    units: units.map(({ name }) => name),
    privileges: UNIT_PRIVILEGES.map((privilege) => ({
      privilege,
      through: explained.find((each) => each.privilege === privilege)!.through.filter(appliesHere),
    })),
  };
}

const listUnitsAbove = (ctx: Context, address: string) =>
  ctx.db.execute<{ id: number; name: string }>(sql`
    with recursive above as (
      select u.id, u.name, u.parent_id, 0 as distance from mailboxes m
        join org_units u on u.id = m.org_unit_id and u.company_id = m.company_id
      where m.address = ${address} and m.company_id = ${ctx.companyId}
      union all
      select u.id, u.name, u.parent_id, above.distance + 1 from org_units u
        join above on above.parent_id = u.id
    )
    select id, name from above order by distance`);
