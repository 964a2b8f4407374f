import { and, asc, eq } from "drizzle-orm";

import { adminRoles, admins, roles } from "#drizzle/schema/index.ts";
import { lockTeam } from "#server/core/access/admins/lock-team.ts";
import { requireTeamManager } from "#server/core/access/admins/team-manager.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { lockRole } from "./lock-role.ts";

/**
 * Deletes a role. Its holders lose its privileges at once.
 *
 * @throws Refusal `not_found`
 */
export async function deleteRole(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    await requireTeamManager(ctx);
    const { name, privileges, orgUnitId } = await lockRole(ctx, id);
    const holders = await ctx.db
      .select({ email: admins.email })
      .from(adminRoles)
      .innerJoin(admins, eq(admins.id, adminRoles.adminId))
      .where(and(eq(adminRoles.roleId, id), eq(admins.companyId, ctx.companyId)))
      .orderBy(asc(admins.email));
    await ctx.db.delete(roles).where(eq(roles.id, id));
    const lostBy = holders.map(({ email }) => email);
    await recordAudit(ctx, "role.deleted", { roleId: id, name, privileges, orgUnitId, lostBy });
  });
}
