import { eq, sql } from "drizzle-orm";

import { type Admin, adminRoles, admins, sessions } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { requireCanGrant } from "#server/core/access/privileges/require-can-grant.ts";

import { lockAdmin } from "./get-admin.ts";
import { requireGrantableRoles } from "./grant-roles.ts";
import { requireAnotherOwner, requireCanChange } from "./internal/last-owner.ts";
import { lockTeam } from "./lock-team.ts";
import { requireTeamManager, type TeamManager } from "./team-manager.ts";

/**
 * Suspends an admin's access to the company or restores it. Suspending ends their sessions at once; their
 * keys are rejected meanwhile, and emails those keys scheduled are canceled when they come due. Restoring
 * returns all their privileges, so the caller must hold as many. Does nothing if the access already has that state.
 *
 * @throws Refusal `not_found`, `invalid_permission`, `not_allowed` for the last owner and for yourself
 */
export async function setAdminAccess(ctx: Context, id: string, isOn: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const admin = await lockAdmin(ctx, id);
    requireCanChange(manager, admin);
    if ((admin.disabledAt === null) === isOn) return;
    if (isOn) await requireCanRestore(ctx, manager, admin);
    else {
      if (manager.adminId === id)
        throw new Refusal("not_allowed", "You can't suspend your own access");
      await requireAnotherOwner(ctx, admin);
      await ctx.db.delete(sessions).where(eq(sessions.userId, id));
    }
    await ctx.db
      .update(admins)
      .set({ disabledAt: isOn ? null : sql`clock_timestamp()` })
      .where(eq(admins.id, id));
    const action = isOn ? "admin.enabled" : "admin.disabled";
    await recordAudit(ctx, action, { adminId: id, email: admin.email });
  });
}

async function requireCanRestore(ctx: Context, manager: TeamManager, admin: Admin): Promise<void> {
  const direct = { privileges: admin.privileges, orgUnitId: null };
  requireCanGrant(manager, direct, "This admin's access");
  const held = await ctx.db
    .select({ roleId: adminRoles.roleId })
    .from(adminRoles)
    .where(eq(adminRoles.adminId, admin.id));
  await requireGrantableRoles(
    ctx,
    manager,
    held.map(({ roleId }) => roleId),
  );
}
