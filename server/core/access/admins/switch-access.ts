import { eq, sql } from "drizzle-orm";

import { type Admin, adminRoles, admins, sessions } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { requireMayGive } from "#server/core/access/rights/may-give.ts";

import { lockAdmin } from "./get-admin.ts";
import { requireGivable } from "./give-roles.ts";
import { requireAnotherOwner, requireMayChange } from "./internal/last-owner.ts";
import { lockTeam } from "./lock-team.ts";
import { requireTeamManager, type TeamManager } from "./team-manager.ts";

/**
 * Switches an admin's access to the company off, or on again. Off ends their sessions in it at once, and
 * the keys they made are refused for as long; emails that those have scheduled are canceled when they
 * come due. On again gives back all that they held, so only somebody who holds as much does it. Switching
 * to what it is already changes nothing.
 *
 * @throws Refusal `not_found`, `invalid_permission`, `not_allowed` for the last owner and for oneself
 */
export async function switchAccess(ctx: Context, id: string, isOn: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const admin = await lockAdmin(ctx, id);
    requireMayChange(manager, admin);
    if ((admin.disabledAt === null) === isOn) return;
    if (isOn) await requireMayGiveBack(ctx, manager, admin);
    else {
      if (manager.adminId === id)
        throw new Refusal("not_allowed", "You cannot switch off your own access");
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

async function requireMayGiveBack(ctx: Context, manager: TeamManager, admin: Admin): Promise<void> {
  const direct = { privileges: admin.privileges, orgUnitId: null };
  requireMayGive(manager, direct, "This person's access");
  const held = await ctx.db
    .select({ roleId: adminRoles.roleId })
    .from(adminRoles)
    .where(eq(adminRoles.adminId, admin.id));
  await requireGivable(
    ctx,
    manager,
    held.map(({ roleId }) => roleId),
  );
}
