import { and, eq, isNull, type SQL, sql } from "drizzle-orm";

import { admins, people } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  type RoleGrant,
  type HeldPrivileges,
  effectivePrivileges,
} from "#server/core/access/privileges/held-privileges.ts";
import { adminRolesSql } from "#server/core/access/privileges/admin-roles-sql.ts";

/** An admin or operator who manages the team, with their current privileges. */
export type TeamManager = HeldPrivileges & {
  /** Null for operators and the system, which aren't admins of the company. */
  adminId: string | null;
  isOwner: boolean;
};

const ALL_PRIVILEGES: TeamManager = {
  ...effectivePrivileges({ isOwner: true, privileges: [], roles: [] }),
  adminId: null,
  isOwner: true,
};

/**
 * Reads the caller's privileges again under `lockTeam`, so that a privilege revoked a moment ago can't be
 * granted. Operators can do everything.
 *
 * @throws Refusal `invalid_permission` if the caller can't manage admins
 */
export async function requireTeamManager(ctx: Context): Promise<TeamManager> {
  if (ctx.actor.kind === "operator" || ctx.actor.kind === "system") return ALL_PRIVILEGES;
  const manager =
    ctx.actor.kind === "admin" ? await readManager(ctx, eq(admins.id, ctx.actor.adminId)) : null;
  if (manager) return manager;
  throw new Refusal("invalid_permission", "You can no longer manage admins");
}

/** Finds the inviter of a pending invitation; null if they can no longer manage admins. */
export async function findTeamManager(
  ctx: Context,
  { email, kind }: { email: string; kind: "admin" | "operator" },
): Promise<TeamManager | null> {
  if (kind === "admin") return readManager(ctx, eq(admins.email, email));
  const runs = and(eq(people.email, email), people.isOperator);
  return (await ctx.db.$count(people, runs)) > 0 ? ALL_PRIVILEGES : null;
}

async function readManager(ctx: Context, who: SQL): Promise<TeamManager | null> {
  const [admin] = await ctx.db
    .select({
      id: admins.id,
      isOwner: admins.isOwner,
      privileges: admins.privileges,
      roles: sql<RoleGrant[]>`${adminRolesSql(sql`${admins.id}`)}`,
    })
    .from(admins)
    .where(and(who, eq(admins.companyId, ctx.companyId), isNull(admins.disabledAt)));
  if (!admin) return null;
  const held = effectivePrivileges(admin);
  if (!held.privileges.has("manage_admins")) return null;
  return { ...held, adminId: admin.id, isOwner: admin.isOwner };
}
