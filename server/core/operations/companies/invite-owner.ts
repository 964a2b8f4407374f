import { and, eq } from "drizzle-orm";

import { invitations } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { readSignInAddress } from "#server/core/access/invitations/invitation-input.ts";
import { invite } from "#server/core/access/invitations/invite.ts";
import { resendInvitation } from "#server/core/access/invitations/resend-invitation.ts";

/**
 * Asks somebody to own the company; who is asked already gets a new link, and the former ends.
 *
 * @param ctx of an operator at the company
 * @returns the token of the link, which is nowhere else
 * @throws Refusal `invalid`, `already_exists` for who is on the team, `rate_limit_exceeded`
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
