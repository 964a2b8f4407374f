import { asc, eq, type SQL, sql } from "drizzle-orm";

import { orgUnits, roles } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { Role } from "./lock-role.ts";

/** A role with its unit's name and its holders by address. */
export type ListedRole = Role & {
  unitName: string | null;
  holders: { id: string; email: string; name: string }[];
};

/** Lists the company's roles by name. */
export function listRoles(ctx: Context): Promise<ListedRole[]> {
  return read(ctx, sql`true`);
}

/** @throws Refusal `not_found` */
export async function getRole(ctx: Context, id: string): Promise<ListedRole> {
  const [role] = await read(ctx, eq(roles.id, id));
  if (!role) throw new Refusal("not_found", "Role not found");
  return role;
}

async function read(ctx: Context, which: SQL): Promise<ListedRole[]> {
  const rows = await ctx.db
    .select({
      role: roles,
      unitName: orgUnits.name,
      holders: sql<ListedRole["holders"]>`coalesce((
        select json_agg(json_build_object('id', a.id, 'email', a.email, 'name', a.name)
          order by a.email)
        from admin_roles held join admins a on a.id = held.admin_id
        where held.role_id = ${roles.id} and a.company_id = ${roles.companyId}), '[]'::json)`,
    })
    .from(roles)
    .leftJoin(orgUnits, eq(orgUnits.id, roles.orgUnitId))
    .where(sql`${eq(roles.companyId, ctx.companyId)} and ${which}`)
    .orderBy(asc(sql`lower(${roles.name})`), asc(roles.id));
  return rows.map(({ role, ...rest }) => ({ ...role, ...rest }));
}
