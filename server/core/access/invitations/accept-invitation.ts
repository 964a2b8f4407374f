import { eq } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import { readAdminName } from "#server/core/access/admins/admin-name.ts";
import { hashPassword, requireStrongPassword } from "#server/core/access/admins/password.ts";
import { completeSignIn, type Origin } from "#server/core/access/people/sign-in.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { personAccount } from "#server/core/access/second-factors/factor-owner.ts";
import { getFactors, hasSecondFactor } from "#server/core/access/second-factors/get-factors.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import {
  rejectProviderSession,
  switchCompany,
} from "#server/core/access/sessions/switch-company.ts";
import { passwordMark } from "#server/core/access/sign-in/password-mark.ts";
import { countAttempt, forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import { verifyPassword } from "#server/core/access/sign-in/verify-password.ts";
import type { Db } from "#server/db/client.ts";

import { joinCompany, requireOpenInvitation } from "./internal/join-company.ts";

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
  { token, by, origin }: { token: string; by: Confirmation; origin: Origin },
): Promise<string> {
  return "signedIn" in by
    ? acceptWithSession(db, { token, signedIn: by.signedIn, origin })
    : acceptWithPassword(db, { token, ...by, origin });
}

async function acceptWithSession(
  db: Db,
  { token, signedIn, origin }: { token: string; signedIn: SignedIn; origin: Origin },
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

type ByPassword = { token: string; name: string; password: string; origin: Origin };

async function acceptWithPassword(db: Db, { token, password, origin, ...written }: ByPassword) {
  const { email, companyId, companyName } = await requireOpenInvitation(db, token);
  const name = readAdminName(written.name);
  // Check existing users' passwords too, not only new users': otherwise the error would show which is
  // which.
  requireStrongPassword(password, [name, email, companyName]);
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
    ...{ email, passwordHash: passwordHash ?? known!.passwordHash, adminId, companyId },
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
