import { and, eq, gt, lte, sql } from "drizzle-orm";

import { admins, invitations } from "#drizzle/schema/index.ts";
import { readAdminName } from "#server/core/access/admins/admin-name.ts";
import { requireGrantableRoles } from "#server/core/access/admins/grant-roles.ts";
import { lockTeam } from "#server/core/access/admins/lock-team.ts";
import { requireTeamManager } from "#server/core/access/admins/team-manager.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { type InvitationInput, readSignInAddress } from "./invitation-input.ts";
import { requireInvitationRate, enqueueInvitation } from "./internal/enqueue-invitation.ts";
import { newInvitationTokens } from "./token.ts";

const OPEN_MAX = 100;
const INVITATION_DAYS = 7;

/** When an invitation sent now expires. */
export const invitationExpiry = () =>
  sql<string>`clock_timestamp() + make_interval(days => ${INVITATION_DAYS})`;

/**
 * Invites a person to become an admin of the company and mails them a link. Neither the response nor its
 * timing shows whether the address signs in at another company.
 *
 * @returns the token of a second link, for the inviter to share; it isn't stored and differs from the emailed
 *   one
 * @throws Refusal `invalid`; `already_exists` if the address is on the team or already invited;
 *   `invalid_permission` if the caller can't manage admins, or invites an owner without being one;
 *   `not_allowed` for a role with a privilege that the caller lacks, or the 101st open invitation;
 *   `rate_limit_exceeded`
 */
export async function invite(
  ctx: Context,
  input: InvitationInput,
): Promise<{ id: string; token: string }> {
  const { email, name } = readFields({
    email: () => readSignInAddress(input.email),
    name: () => readAdminName(input.name),
  });
  const { isOwner } = input;
  return inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    if (isOwner && !manager.isOwner)
      throw new Refusal("invalid_permission", "Only an owner can make an admin an owner");
    // Owners have every privilege; roles would only matter after a demotion, unnoticed.
    const roles = isOwner ? [] : await requireGrantableRoles(ctx, manager, input.roleIds);
    await requireNotInvited(ctx, email);
    await requireInvitationRate(ctx);
    const { mailed, copied, stored } = newInvitationTokens();
    const [made] = await ctx.db
      .insert(invitations)
      .values({
        ...{ companyId: ctx.companyId, email, name, isOwner },
        roleIds: roles.map(({ id }) => id),
        ...stored,
        ...getInviter(ctx),
        expiresAt: invitationExpiry(),
      })
      .returning({ id: invitations.id });
    const { id } = made!;
    await recordAudit(ctx, "invitation.created", {
      ...{ invitationId: id, email, isOwner },
      roles: roles.map((role) => role.name),
    });
    await enqueueInvitation(ctx, { invitationId: id, token: mailed });
    return { id, token: copied };
  });
}

/** The inviter, whose privileges are checked again on acceptance. */
export function getInviter({ actor }: Context): {
  invitedBy: string;
  inviterKind: "admin" | "operator";
} {
  if (actor.kind === "admin" || actor.kind === "operator")
    return { invitedBy: actor.email, inviterKind: actor.kind };
  throw new Refusal("invalid_permission", "Only an admin or operator can invite admins");
}

async function requireNotInvited(ctx: Context, email: string): Promise<void> {
  const { companyId } = ctx;
  const isMember = and(eq(admins.companyId, companyId), eq(admins.email, email));
  if ((await ctx.db.$count(admins, isMember)) > 0)
    throw new Refusal("already_exists", "email: is already on the team");
  const ofAddress = and(eq(invitations.companyId, companyId), eq(invitations.email, email));
  const isOver = lte(invitations.expiresAt, sql`clock_timestamp()`);
  await ctx.db.delete(invitations).where(and(ofAddress, isOver));
  if ((await ctx.db.$count(invitations, ofAddress)) > 0)
    throw new Refusal(
      "already_exists",
      "email: is already invited. Resend that invitation or withdraw it",
    );
  const open = and(
    eq(invitations.companyId, companyId),
    gt(invitations.expiresAt, sql`clock_timestamp()`),
  );
  if ((await ctx.db.$count(invitations, open)) >= OPEN_MAX)
    throw new Refusal(
      "not_allowed",
      `A company can have at most ${OPEN_MAX} pending invitations. Withdraw one first`,
    );
}
