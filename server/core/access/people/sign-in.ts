import { eq } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import { count } from "#server/core/platform/monitoring/counters.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { personAccount } from "#server/core/access/second-factors/factor-owner.ts";
import {
  type SignInResult,
  startFactorStep,
} from "#server/core/access/second-factors/start-factor-step.ts";
import { type SessionOrigin, startSession } from "#server/core/access/sessions/sessions.ts";
import { rememberNetwork } from "#server/core/access/sign-in/networks.ts";
import { passwordMark } from "#server/core/access/sign-in/password-mark.ts";
import {
  normalizeAccount,
  countAttempt,
  forgetAttempt,
} from "#server/core/access/sign-in/throttle.ts";
import { passwordNotAllowed } from "#server/core/access/single-sign-on/password-not-allowed.ts";
import { verifyPassword } from "#server/core/access/sign-in/verify-password.ts";
import type { Db } from "#server/db/client.ts";

import { findPerson, type SignInCandidate } from "./find-person.ts";
import { auditSessionStart, auditFailedSignIn } from "./internal/audit-sign-in.ts";

export type Origin = SessionOrigin & { clientAddress: string };

/**
 * Signs an admin in with a password, or asks for a second factor if they have one. An unknown address, a
 * wrong password and a suspended admin get the same error after the same time.
 *
 * @throws Refusal `wrong_credentials`, `rate_limit_exceeded`; `not_allowed` if only an identity provider can sign them in
 */
export async function signIn(
  db: Db,
  { email: typed, password, origin }: { email: string; password: string; origin: Origin },
): Promise<SignInResult> {
  const email = normalizeAccount(typed);
  const { clientAddress } = origin;
  const mark = passwordMark(email, password);
  const attempt = await countAttempt(db, { account: email, clientAddress, passwordMark: mark });
  const person = await findPerson(db, email);
  if (!(await verifyPassword(password, person?.passwordHash ?? null)) || !person) {
    count("posthouse_sign_ins_total", { service: "console", result: "failed" });
    auditFailedSignIn(db, email, { by: "password", clientAddress });
    throw new Refusal("wrong_credentials", "The email address or password is incorrect");
  }
  await forgetAttempt(db, attempt);
  requirePasswordAllowed(person);
  const step = await startFactorStep(db, personAccount(email));
  if (step) return { kind: "second_factor", ...step };
  return {
    kind: "signed_in",
    cookie: await completeSignIn(db, person, { by: "password", origin }),
  };
}

/**
 * Starts a session for an authenticated person.
 *
 * @param providerId the identity provider that authenticated them
 * @returns its Set-Cookie value
 * @throws Refusal `wrong_credentials` if the password has changed since `person` was read; `not_allowed` if only an identity
 *   provider can sign them in
 */
export async function completeSignIn(
  db: Db,
  person: SignInCandidate,
  {
    by,
    origin,
    withSecondFactor = false,
    providerId = null,
  }: { by: string; origin: Origin; withSecondFactor?: boolean; providerId?: string | null },
): Promise<string> {
  requirePasswordAllowed(person);
  // A provider speaks only for its company, so it can't exempt a network from the limits on the person's password.
  if (!providerId || withSecondFactor)
    await rememberNetwork(db, person.email, origin.clientAddress, { withSecondFactor });
  count("posthouse_sign_ins_total", { service: "console", result: "succeeded" });
  return db.transaction(async (tx) => {
    await requireUnchanged(tx, person);
    await auditSessionStart(tx, person, { by, origin });
    return startSession(tx, person.adminId, { ...origin, providerId });
  });
}

function requirePasswordAllowed({ isProviderRequired }: SignInCandidate): void {
  if (isProviderRequired) throw passwordNotAllowed();
}

/** A password change ends all sessions, so none may start with the old password after it. */
async function requireUnchanged(
  tx: Db,
  { email, passwordHash }: Pick<SignInCandidate, "email" | "passwordHash">,
): Promise<void> {
  const [now] = await tx
    .select({ passwordHash: people.passwordHash })
    .from(people)
    .where(eq(people.email, email))
    .for("no key update");
  if (now?.passwordHash === passwordHash) return;
  throw new Refusal("wrong_credentials", "Your password has just been changed. Sign in again");
}
