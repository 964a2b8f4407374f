import { eq } from "drizzle-orm";

import { invitations } from "#drizzle/schema/index.ts";
import { lockTeam } from "#server/core/access/admins/lock-team.ts";
import { requireTeamManager } from "#server/core/access/admins/team-manager.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { lockInvitation } from "./resend-invitation.ts";

/**
 * Deletes an invitation, which invalidates its links.
 *
 * @throws Refusal `not_found`
 */
export async function withdrawInvitation(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    await requireTeamManager(ctx);
    const { email } = await lockInvitation(ctx, id);
    await ctx.db.delete(invitations).where(eq(invitations.id, id));
    await recordAudit(ctx, "invitation.withdrawn", { invitationId: id, email });
  });
}
