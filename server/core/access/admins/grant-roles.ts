import { and, eq, inArray } from "drizzle-orm";

import { adminRoles, roles } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { requireCanGrant } from "#server/core/access/privileges/require-can-grant.ts";
import type { Role } from "#server/core/access/roles/lock-role.ts";

import type { TeamManager } from "./team-manager.ts";

/**
 * Loads the roles and checks that `manager` can grant them. Call under `lockTeam`.
 *
 * @throws Refusal `invalid` if a role doesn't exist, `not_allowed` if a role has a privilege that the manager
 *   lacks
 */
export async function requireGrantableRoles(
  ctx: Context,
  manager: TeamManager,
  ids: string[],
): Promise<Role[]> {
  const found = await readRoles(ctx, ids);
  if (found.length < new Set(ids).size)
    throw new Refusal("invalid", "roles: one of the roles no longer exists");
  for (const role of found) requireCanGrant(manager, role, `The role ${role.name}`);
  return found;
}

/** Leaves out roles that no longer exist. */
export async function readRoles(ctx: Context, ids: string[]): Promise<Role[]> {
  if (ids.length === 0) return [];
  return ctx.db
    .select()
    .from(roles)
    .where(and(eq(roles.companyId, ctx.companyId), inArray(roles.id, ids)));
}

export async function grantRoles(ctx: Context, adminId: string, ids: string[]): Promise<void> {
  if (ids.length > 0)
    await ctx.db.insert(adminRoles).values(ids.map((roleId) => ({ adminId, roleId })));
}
