import { and, eq, isNull, type SQL, sql } from "drizzle-orm";

import { admins, people } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { type HeldRole, type Rights, rightsOf } from "#server/core/access/rights/rights.ts";
import { rolesOf } from "#server/core/access/rights/roles-of.ts";

/** Somebody who looks after the team, with the rights of this moment. */
export type TeamManager = Rights & {
  /** Null for who is no admin of the company: those who run the instance, and the instance itself. */
  adminId: string | null;
  isOwner: boolean;
};

const EVERYTHING: TeamManager = {
  ...rightsOf({ isOwner: true, privileges: [], roles: [] }),
  adminId: null,
  isOwner: true,
};

/**
 * Who is changing the team, read anew: asked under `lockTeam`, so that what was taken from them a moment
 * ago is not given away any more. Those who run the instance may do all.
 *
 * @throws Refusal `invalid_permission` for who may not manage admins
 */
export async function requireTeamManager(ctx: Context): Promise<TeamManager> {
  if (ctx.actor.kind === "operator" || ctx.actor.kind === "system") return EVERYTHING;
  const manager =
    ctx.actor.kind === "admin" ? await readManager(ctx, eq(admins.id, ctx.actor.adminId)) : null;
  if (manager) return manager;
  throw new Refusal("invalid_permission", "You may not manage admins any more");
}

/** The person of that address, as the one who once asked for something; null when they may not ask any more. */
export async function findTeamManager(
  ctx: Context,
  { email, kind }: { email: string; kind: "admin" | "operator" },
): Promise<TeamManager | null> {
  if (kind === "admin") return readManager(ctx, eq(admins.email, email));
  const runs = and(eq(people.email, email), people.isOperator);
  return (await ctx.db.$count(people, runs)) > 0 ? EVERYTHING : null;
}

async function readManager(ctx: Context, who: SQL): Promise<TeamManager | null> {
  const [admin] = await ctx.db
    .select({
      id: admins.id,
      isOwner: admins.isOwner,
      privileges: admins.privileges,
      roles: sql<HeldRole[]>`${rolesOf(sql`${admins.id}`)}`,
    })
    .from(admins)
    .where(and(who, eq(admins.companyId, ctx.companyId), isNull(admins.disabledAt)));
  if (!admin) return null;
  const rights = rightsOf(admin);
  if (!rights.privileges.has("manage_admins")) return null;
  return { ...rights, adminId: admin.id, isOwner: admin.isOwner };
}
