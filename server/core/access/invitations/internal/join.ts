import { eq } from "drizzle-orm";

import { admins, companies, invitations, people } from "#drizzle/schema/index.ts";
import { giveRoles, readRoles } from "#server/core/access/admins/give-roles.ts";
import { lockTeam } from "#server/core/access/admins/lock-team.ts";
import { findTeamManager } from "#server/core/access/admins/team-manager.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { confirmAddress } from "#server/core/access/people/confirm-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lackingOf } from "#server/core/access/rights/may-give.ts";
import type { Role } from "#server/core/access/roles/require-role.ts";
import type { Db } from "#server/db/client.ts";

import {
  findInvitation,
  type FoundInvitation,
} from "#server/core/access/invitations/find-invitation.ts";

/**
 * The invitation of this link.
 *
 * @throws Refusal `not_found` for a link that leads nowhere (any more), `not_allowed` when it is over
 */
export async function requireOpen(db: Db, token: string): Promise<FoundInvitation> {
  const found = await findInvitation(db, token);
  if (!found)
    throw new Refusal(
      "not_found",
      "This invitation was taken already, withdrawn, or replaced by a newer one",
    );
  if (found.isExpired)
    throw new Refusal(
      "not_allowed",
      `This invitation is over. Ask ${found.invitedBy} for a new one`,
    );
  return found;
}

/**
 * Makes who was invited an admin of the company, with those of the roles that still exist, and ends the
 * invitation. Of two who take it at once, the second finds it gone. Who asked must still be allowed to
 * give all this. Who comes with the mailed link has shown that the address is theirs.
 *
 * @param passwordHash of somebody who does not sign in here yet
 * @returns the id of the admin
 * @throws Refusal as `requireOpen`; `not_allowed`, `already_exists`
 */
export function join(
  db: Db,
  token: string,
  { name, passwordHash = null }: { name: string; passwordHash?: string | null },
): Promise<string> {
  return db.transaction(async (tx) => {
    const { companyId, email } = await requireOpen(tx, token);
    // The actor of what is looked at before there is an admin is of no account.
    const actor = { kind: "system", task: "join" } as const;
    const ctx: Context = { db: tx, companyId, actor, now: () => new Date() };
    await lockTeam(ctx);
    // Once more: what others change of it is committed before the lock is ours.
    const invitation = await requireOpen(tx, token);
    const roles = await requireStillGivable(ctx, invitation);
    await requireOpenCompany(ctx);
    await ensurePerson(tx, email, passwordHash);
    const addressConfirmed = invitation.isMailed && (await confirmAddress(tx, email));
    const { isOwner, invitedBy } = invitation;
    const [admin] = await tx
      .insert(admins)
      .values({ companyId, email, isOwner, name: name || invitation.name })
      .onConflictDoNothing()
      .returning({ id: admins.id });
    if (!admin) throw new Refusal("already_exists", "You are on this team already. Sign in");
    const roleIds = roles.map((role) => role.id);
    await giveRoles(ctx, admin.id, roleIds);
    await tx.delete(invitations).where(eq(invitations.id, invitation.id));
    const asAdmin = { ...ctx, actor: { kind: "admin", adminId: admin.id, email } as const };
    await recordAudit(asAdmin, "invitation.accepted", {
      ...{ adminId: admin.id, email, isOwner, invitedBy, addressConfirmed },
      roles: roles.map((role) => role.name),
    });
    return admin.id;
  });
}

async function requireStillGivable(ctx: Context, invitation: FoundInvitation): Promise<Role[]> {
  const { invitedBy: email, inviterKind: kind, isOwner } = invitation;
  const inviter = await findTeamManager(ctx, { email, kind });
  const roles = await readRoles(ctx, invitation.roleIds);
  const mayGive =
    inviter !== null &&
    (inviter.isOwner || !isOwner) &&
    roles.every((role) => lackingOf(inviter, role).length === 0);
  if (mayGive) return roles;
  throw new Refusal(
    "not_allowed",
    `${email} may not give you this access any more. Ask the company for a new invitation`,
  );
}

async function requireOpenCompany(ctx: Context): Promise<void> {
  const [company] = await ctx.db
    .select({ suspendedAt: companies.suspendedAt })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  if (company?.suspendedAt === null) return;
  throw new Refusal("not_allowed", "This company is suspended at the moment. Try again later");
}

/** Nobody who is leaving another company takes the person along from here on. */
async function ensurePerson(tx: Db, email: string, passwordHash: string | null): Promise<void> {
  if (passwordHash !== null) {
    const [made] = await tx
      .insert(people)
      .values({ email, passwordHash })
      .onConflictDoNothing()
      .returning({ email: people.email });
    if (made) return;
  } else {
    const known = await tx
      .select({ email: people.email })
      .from(people)
      .where(eq(people.email, email))
      .for("key share");
    if (known.length > 0) return;
  }
  // Somebody has just joined, or left, another company under this address.
  throw new Refusal("not_allowed", "Something about you has just changed. Try once more");
}
