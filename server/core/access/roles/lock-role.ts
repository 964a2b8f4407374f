import { and, eq } from "drizzle-orm";

import { roles } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

export type Role = typeof roles.$inferSelect;

/**
 * Locks a role until the transaction ends.
 *
 * @throws Refusal `not_found`
 */
export async function lockRole(ctx: Context, id: string): Promise<Role> {
  const [role] = await ctx.db
    .select()
    .from(roles)
    .where(and(eq(roles.id, id), eq(roles.companyId, ctx.companyId)))
    .for("no key update");
  if (!role) throw new Refusal("not_found", "Role not found");
  return role;
}
