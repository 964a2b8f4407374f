import { and, eq } from "drizzle-orm";

import { invitations } from "#drizzle/schema/index.ts";
import { requireGrantableRoles, readRoles } from "#server/core/access/admins/grant-roles.ts";
import { lockTeam } from "#server/core/access/admins/lock-team.ts";
import { requireTeamManager } from "#server/core/access/admins/team-manager.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { getInviter, invitationExpiry } from "./invite.ts";
import { requireInvitationRate, enqueueInvitation } from "./internal/enqueue-invitation.ts";
import { newInvitationTokens } from "./token.ts";

/**
 * Sends an invitation again with new links that are valid for seven days; the old links stop working. The
 * caller becomes the inviter, and deleted roles are dropped.
 *
 * @returns the token of the new link for passing on by hand
 * @throws Refusal `not_found`, `invalid_permission`, `not_allowed`, `rate_limit_exceeded`
 */
export function resendInvitation(ctx: Context, id: string): Promise<{ token: string }> {
  return inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const found = await lockInvitation(ctx, id);
    if (found.isOwner && !manager.isOwner)
      throw new Refusal("invalid_permission", "Only an owner can make an admin an owner");
    const roleIds = (await readRoles(ctx, found.roleIds)).map((role) => role.id);
    await requireGrantableRoles(ctx, manager, roleIds);
    await requireInvitationRate(ctx);
    const { mailed, copied, stored } = newInvitationTokens();
    await ctx.db
      .update(invitations)
      .set({
        ...{ roleIds, ...stored, expiresAt: invitationExpiry() },
        ...getInviter(ctx),
      })
      .where(eq(invitations.id, id));
    await recordAudit(ctx, "invitation.resent", { invitationId: id, email: found.email });
    await enqueueInvitation(ctx, { invitationId: id, token: mailed });
    return { token: copied };
  });
}

/**
 * Locks an invitation until the transaction ends.
 *
 * @throws Refusal `not_found`
 */
export async function lockInvitation(ctx: Context, id: string) {
  const [found] = await ctx.db
    .select()
    .from(invitations)
    .where(and(eq(invitations.id, id), eq(invitations.companyId, ctx.companyId)))
    .for("update");
  if (!found)
    throw new Refusal("not_found", "Invitation not found. It may have been accepted or withdrawn");
  return found;
}
