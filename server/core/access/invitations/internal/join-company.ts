import { eq } from "drizzle-orm";

import { admins, companies, invitations, people } from "#drizzle/schema/index.ts";
import { grantRoles, readRoles } from "#server/core/access/admins/grant-roles.ts";
import { lockTeam } from "#server/core/access/admins/lock-team.ts";
import { findTeamManager } from "#server/core/access/admins/team-manager.ts";
import { lockKnownPerson, requireConfirmed } from "#server/core/access/people/known-person.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import { confirmAddress } from "#server/core/access/people/confirm-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { missingPrivileges } from "#server/core/access/privileges/require-can-grant.ts";
import type { Role } from "#server/core/access/roles/lock-role.ts";
import type { Db } from "#server/db/client.ts";

import {
  findInvitation,
  type FoundInvitation,
} from "#server/core/access/invitations/find-invitation.ts";

/**
 * Finds an open invitation.
 *
 * @throws Refusal `not_found` for a link that is no longer valid, `not_allowed` if it expired
 */
export async function requireOpenInvitation(db: Db, token: string): Promise<FoundInvitation> {
  const found = await findInvitation(db, token);
  if (!found)
    throw new Refusal(
      "not_found",
      "This invitation was already accepted, withdrawn or replaced by a newer one",
    );
  if (found.isExpired)
    throw new Refusal(
      "not_allowed",
      `This invitation has expired. Ask ${found.invitedBy} for a new one`,
    );
  return found;
}

/**
 * Makes the invitee an admin with the roles that still exist, and deletes the invitation. Concurrent calls
 * for one invitation: the first wins. The inviter must still be able to grant the access. The emailed link
 * also confirms the invitee's address.
 *
 * @param passwordHash for a person who doesn't sign in here yet
 * @returns the id of the admin
 * @throws Refusal as `requireOpenInvitation`; `not_allowed`, `already_exists`
 */
export function joinCompany(
  db: Db,
  token: string,
  { name, passwordHash = null }: { name: string; passwordHash?: string | null },
): Promise<string> {
  return db.transaction(async (tx) => {
    const { companyId, email } = await requireOpenInvitation(tx, token);
    // Placeholder until the admin exists; nothing is audited under it.
    const ctx = createContext(tx, companyId, { kind: "system", task: "join" });
    await lockTeam(ctx);
    // Read again: it may have changed while we waited for the lock.
    const invitation = await requireOpenInvitation(tx, token);
    const roles = await requireStillGrantable(ctx, invitation);
    await requireActiveCompany(ctx);
    await ensurePerson(tx, email, passwordHash);
    const addressConfirmed = invitation.isMailed && (await confirmAddress(tx, email));
    const { isOwner, invitedBy } = invitation;
    // A new user got the link from the inviter. An existing one may have registered the address through another company's link.
    if (isOwner && passwordHash === null) requireConfirmed((await lockKnownPerson(tx, email))!);
    const [admin] = await tx
      .insert(admins)
      .values({ companyId, email, isOwner, name: name || invitation.name })
      .onConflictDoNothing()
      .returning({ id: admins.id });
    if (!admin) throw new Refusal("already_exists", "You're already on this team. Sign in");
    const roleIds = roles.map((role) => role.id);
    await grantRoles(ctx, admin.id, roleIds);
    await tx.delete(invitations).where(eq(invitations.id, invitation.id));
    const asAdmin = { ...ctx, actor: { kind: "admin", adminId: admin.id, email } as const };
    await recordAudit(asAdmin, "invitation.accepted", {
      ...{ adminId: admin.id, email, isOwner, invitedBy, addressConfirmed },
      roles: roles.map((role) => role.name),
    });
    return admin.id;
  });
}

async function requireStillGrantable(ctx: Context, invitation: FoundInvitation): Promise<Role[]> {
  const { invitedBy: email, inviterKind: kind, isOwner } = invitation;
  const inviter = await findTeamManager(ctx, { email, kind });
  const roles = await readRoles(ctx, invitation.roleIds);
  const mayGive =
    inviter !== null &&
    (inviter.isOwner || !isOwner) &&
    roles.every((role) => missingPrivileges(inviter, role).length === 0);
  if (mayGive) return roles;
  throw new Refusal(
    "not_allowed",
    `${email} can no longer grant you this access. Ask the company for a new invitation`,
  );
}

async function requireActiveCompany(ctx: Context): Promise<void> {
  const [company] = await ctx.db
    .select({ suspendedAt: companies.suspendedAt })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  if (company?.suspendedAt === null) return;
  throw new Refusal("not_allowed", "This company is suspended. Try again later");
}

/** Locks the person's row, so that removing them from another company doesn't delete it meanwhile. */
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
  // The person joined or left another company at the same moment.
  throw new Refusal("not_allowed", "Your access has just changed. Try again");
}
