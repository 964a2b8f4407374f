import { eq, sql } from "drizzle-orm";

import { admins, sessions } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";
import { Refusal } from "#server/core/refusals.ts";

import { lockAdmin } from "./get-admin.ts";
import { requireAnotherOwner, requireMayChange } from "./last-owner.ts";
import { lockTeam } from "./lock-team.ts";
import { requireTeamManager } from "./team-manager.ts";

/**
 * Switches an admin's access to the company off, or on again. Off ends their sessions in it at once, and
 * the keys they made are refused for as long; emails that those have scheduled are canceled when they
 * come due. Switching to what it is already changes nothing.
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
    if (!isOn) {
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
