import { eq } from "drizzle-orm";

import { passkeys, people, recoveryCodes } from "#drizzle/schema/index.ts";
import type { Actor } from "#server/core/shared/context.ts";
import type { Origin } from "#server/core/access/people/sign-in.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  endSessionsOfPerson,
  renewSession,
} from "#server/core/access/sessions/console-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import type { Db } from "#server/db/client.ts";

import { afterFactorChange } from "./internal/after-change.ts";
import { getFactors, hasSecondFactor } from "./get-factors.ts";
import { lockFactors } from "./lock-factors.ts";
import type { Proof } from "./verify-proof.ts";
import { requireProof } from "./require-proof.ts";

export type Factor = { kind: "totp" } | { kind: "passkey"; id: string };

/**
 * Removes a factor, after a password and a second factor. Removing the last one also deletes the recovery
 * codes.
 *
 * @returns the Set-Cookie value of the session, which gets a new id
 * @throws Refusal `not_found`; `not_allowed` for the last factor if a company requires one; `invalid` for a
 *   wrong password or code; `rate_limit_exceeded`
 */
export async function removeFactor(
  db: Db,
  signedIn: Pick<SignedIn, "id" | "email" | "sessionId">,
  { factor, ...shown }: { factor: Factor; password: string; proof: Proof },
  origin: Origin,
): Promise<string> {
  const { email } = signedIn;
  requireRemovable(await getFactors(db, email), factor);
  await requireProof(db, signedIn, { ...shown, clientAddress: origin.clientAddress });
  return db.transaction(async (tx) => {
    const isLast = requireRemovable(await lockFactors(tx, email), factor);
    await remove(tx, email, factor);
    if (isLast) await tx.delete(recoveryCodes).where(eq(recoveryCodes.email, email));
    const what = factor.kind === "totp" ? "totp_removed" : "passkey_removed";
    await afterFactorChange(tx, { email }, what);
    return renewSession(tx, signedIn, origin);
  });
}

/** Returns whether it is the last factor. */
function requireRemovable(
  { hasTotp, passkeys, isRequired }: Awaited<ReturnType<typeof getFactors>>,
  factor: Factor,
): boolean {
  const isThere = factor.kind === "totp" ? hasTotp : passkeys.some(({ id }) => id === factor.id);
  if (!isThere)
    throw new Refusal(
      "not_found",
      factor.kind === "totp" ? "No authenticator app is set up" : "Passkey not found",
    );
  const isLast = Number(hasTotp) + passkeys.length === 1;
  if (isLast && isRequired)
    throw new Refusal(
      "not_allowed",
      "Your company requires a second factor. Add another one before you remove this one",
    );
  return isLast;
}

async function remove(db: Db, email: string, factor: Factor): Promise<void> {
  if (factor.kind === "passkey") await db.delete(passkeys).where(eq(passkeys.id, factor.id));
  else
    await db
      .update(people)
      .set({ totpSecret: null, totpLastStep: null })
      .where(eq(people.email, email));
}

/**
 * Removes all factors and recovery codes of a person who lost them, and ends their sessions.
 *
 * @param actor who does it, having verified the person's identity
 */
export async function removeAllFactors(db: Db, email: string, actor: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    await clearFactors(tx, email);
    await endSessionsOfPerson(tx, email);
    await afterFactorChange(tx, { email, actor }, "all_removed");
  });
}

/**
 * Deletes all factors and recovery codes of a person; false if there were no factors. Call in a transaction;
 * the caller ends sessions and steps and audits the change.
 */
export async function clearFactors(tx: Db, email: string): Promise<boolean> {
  const before = await lockFactors(tx, email);
  await remove(tx, email, { kind: "totp" });
  await tx.delete(passkeys).where(eq(passkeys.email, email));
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.email, email));
  return hasSecondFactor(before);
}
