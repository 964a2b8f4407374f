import { eq } from "drizzle-orm";

import { admins, companies, invitations, people } from "#drizzle/schema/index.ts";
import { findRoles, grantRoles } from "#server/core/access/admins/admins.ts";
import { lockTeam, type StoredRole } from "#server/core/access/roles/roles.ts";
import { hashPassword, requireStrongPassword } from "#server/core/access/admins/password.ts";
import { findTeamManager } from "#server/core/access/admins/team.ts";
import {
  confirmAddress,
  lockKnownPerson,
  readAdminName,
  requireConfirmed,
} from "#server/core/access/people/people.ts";
import { completeSignIn } from "#server/core/access/people/person-sign-in.ts";
import { missingPrivileges } from "#server/core/access/privileges/grants.ts";
import {
  getFactors,
  hasSecondFactor,
  personAccount,
} from "#server/core/access/second-factors/factors.ts";
import {
  rejectProviderSession,
  switchCompany,
} from "#server/core/access/sessions/console-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { endGivenCredentials } from "#server/core/access/sign-in/steps.ts";
import {
  countAttempt,
  forgetAttempt,
  type SignInOrigin,
} from "#server/core/access/sign-in/throttle.ts";
import { passwordMark, verifyPassword } from "#server/core/access/sign-in/verify-password.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { findInvitation, type FoundInvitation } from "./invitations.ts";

/** How the invitee authenticates: with their current session or a password. */
export type Confirmation = { signedIn: SignedIn } | { name: string; password: string };

/**
 * Accepts an invitation: makes the invitee an admin of the company and signs them in. A new person gets the
 * given name and password; someone who already signs in here must give their existing password. Checks run in
 * the same order for both, so that only a holder of the link learns which of the two applies.
 *
 * @returns the Set-Cookie value of the session
 * @throws Refusal `not_found` for a link that is no longer valid; `not_allowed` if it expired, is for another
 *   address, or the inviter can no longer grant this access; `wrong_credentials`, `rate_limit_exceeded`,
 *   `invalid` for name or password; `already_exists` for a member of the team
 */
export function acceptInvitation(
  db: Db,
  { token, by, origin }: { token: string; by: Confirmation; origin: SignInOrigin },
): Promise<string> {
  return "signedIn" in by
    ? acceptWithSession(db, { token, signedIn: by.signedIn, origin })
    : acceptWithPassword(db, { token, ...by, origin });
}

async function acceptWithSession(
  db: Db,
  { token, signedIn, origin }: { token: string; signedIn: SignedIn; origin: SignInOrigin },
): Promise<string> {
  const { email, companyId } = await requireOpenInvitation(db, token);
  if (signedIn.email !== email)
    throw new Refusal(
      "not_allowed",
      `This invitation is for ${email}, but you're signed in as ${signedIn.email}`,
    );
  rejectProviderSession(signedIn);
  await joinCompany(db, token, { name: signedIn.name });
  return switchCompany(db, signedIn, companyId, origin);
}

type ByPassword = { token: string; name: string; password: string; origin: SignInOrigin };

async function acceptWithPassword(db: Db, { token, password, origin, ...written }: ByPassword) {
  const { email, companyId, companyName } = await requireOpenInvitation(db, token);
  const name = readAdminName(written.name);
  // Check existing users' passwords too, not only new users': otherwise the error would show which is
  // which.
  await requireStrongPassword(password, [name, email, companyName]);
  const { clientAddress } = origin;
  const mark = passwordMark(email, password);
  const attempt = await countAttempt(db, { account: email, clientAddress, passwordMark: mark });
  const known = await readPerson(db, email);
  if (known)
    await requireExistingPassword(db, email, { password, passwordHash: known.passwordHash });
  const passwordHash = known ? null : await hashPassword(password);
  const adminId = await joinCompany(db, token, { name, passwordHash });
  await forgetAttempt(db, attempt);
  const person = {
    email,
    passwordHash: passwordHash ?? known!.passwordHash,
    adminId,
    companyId,
    // They join even if the company requires its provider. The session is then invalid, and the console asks them to sign in.
    isProviderRequired: false,
  };
  return completeSignIn(db, person, { by: "invitation and password", origin });
}

async function readPerson(db: Db, email: string) {
  const [person] = await db
    .select({ passwordHash: people.passwordHash })
    .from(people)
    .where(eq(people.email, email));
  return person;
}

/** The password alone isn't enough for a person with a second factor. */
async function requireExistingPassword(
  db: Db,
  email: string,
  { password, passwordHash }: { password: string; passwordHash: string | null },
): Promise<void> {
  if (!(await verifyPassword(password, passwordHash)))
    throw new Refusal(
      "wrong_credentials",
      "You already have a password on this server. Enter it, or sign in first",
    );
  if (hasSecondFactor(await getFactors(db, personAccount(email))))
    throw new Refusal(
      "not_allowed",
      "Your sign-in requires a second factor. Sign in first, then accept the invitation",
    );
}

/**
 * Finds an open invitation.
 *
 * @throws Refusal `not_found` for a link that is no longer valid, `not_allowed` if it expired
 */
async function requireOpenInvitation(db: Db, token: string): Promise<FoundInvitation> {
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
function joinCompany(
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
    await endGivenCredentials(tx, [email]);
    await tx.delete(invitations).where(eq(invitations.id, invitation.id));
    const asAdmin = { ...ctx, actor: { kind: "admin", adminId: admin.id, email } as const };
    await recordAudit(asAdmin, "invitation.accepted", {
      adminId: admin.id,
      email,
      isOwner,
      invitedBy,
      addressConfirmed,
      roles: roles.map((role) => role.name),
    });
    return admin.id;
  });
}

async function requireStillGrantable(
  ctx: Context,
  invitation: FoundInvitation,
): Promise<StoredRole[]> {
  const { invitedBy: email, inviterKind: kind, isOwner } = invitation;
  const inviter = await findTeamManager(ctx, { email, kind });
  const roles = await findRoles(ctx, invitation.roleIds);
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
