import { and, eq } from "drizzle-orm";

import { invitations } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { readSignInAddress } from "#server/core/access/invitations/invitation-input.ts";
import { invite } from "#server/core/access/invitations/invite.ts";
import { resendInvitation } from "#server/core/access/invitations/resend-invitation.ts";

/**
 * Invites an owner to the company. If an invitation is open, sends a new link that replaces the old one.
 *
 * @param ctx of an operator at the company
 * @returns the token of the link, which isn't stored
 * @throws Refusal `invalid`, `already_exists` for an admin of the company, `rate_limit_exceeded`
 */
export async function inviteOwner(
  ctx: Context,
  owner: { email: string; name: string },
): Promise<{ token: string }> {
  const email = readSignInAddress(owner.email);
  const [asked] = await ctx.db
    .select({ id: invitations.id })
    .from(invitations)
    .where(
      and(
        eq(invitations.companyId, ctx.companyId),
        eq(invitations.email, email),
        eq(invitations.isOwner, true),
      ),
    );
  if (asked) return resendInvitation(ctx, asked.id);
  return invite(ctx, { ...owner, email, isOwner: true, roleIds: [] });
}
