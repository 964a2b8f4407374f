import { eq } from "drizzle-orm";

import type { Actor } from "#server/core/shared/context.ts";
import type { Origin } from "#server/core/access/people/sign-in.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { endSessionsOfPerson } from "#server/core/access/sessions/console-sessions.ts";
import type { Db } from "#server/db/client.ts";

import { type FactorAccount, type FactorOwner, personAccount } from "./factor-owner.ts";
import { afterFactorChange } from "./internal/after-change.ts";
import { factorTables } from "./internal/factor-tables.ts";
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
  owner: FactorOwner,
  { factor, ...shown }: { factor: Factor; password: string | undefined; proof: Proof },
  origin: Origin,
): Promise<string> {
  requireRemovable(await getFactors(db, owner), factor);
  await requireProof(db, owner, { ...shown, clientAddress: origin.clientAddress });
  return db.transaction(async (tx) => {
    const isLast = requireRemovable(await lockFactors(tx, owner), factor);
    await remove(tx, owner, factor);
    if (isLast) await deleteRecoveryCodes(tx, owner);
    const what = factor.kind === "totp" ? "totp_removed" : "passkey_removed";
    await owner.afterChange(tx, what);
    return owner.renewSession(tx, origin);
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

async function remove(db: Db, account: FactorAccount, factor: Factor): Promise<void> {
  const { accounts, passkeys } = factorTables(account);
  if (factor.kind === "passkey") await db.delete(passkeys).where(eq(passkeys.id, factor.id));
  else
    await db
      .update(accounts)
      .set({ totpSecret: null, totpLastStep: null })
      .where(eq(accounts.email, account.email));
}

async function deleteRecoveryCodes(db: Db, account: FactorAccount): Promise<void> {
  const { recoveryCodes } = factorTables(account);
  await db.delete(recoveryCodes).where(eq(recoveryCodes.email, account.email));
}

/**
 * Removes all factors and recovery codes of an admin who lost them, and ends their sessions.
 *
 * @param actor who does it, having verified the person's identity
 */
export async function removeAllFactors(db: Db, email: string, actor: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    await clearFactors(tx, personAccount(email));
    await endSessionsOfPerson(tx, email);
    await afterFactorChange(tx, { email, actor }, "all_removed");
  });
}

/**
 * Deletes all factors and recovery codes of an account; false if there were no factors. Call in a transaction;
 * the caller ends sessions and steps and audits the change.
 */
export async function clearFactors(tx: Db, account: FactorAccount): Promise<boolean> {
  const before = await lockFactors(tx, account);
  const { passkeys } = factorTables(account);
  await remove(tx, account, { kind: "totp" });
  await tx.delete(passkeys).where(eq(passkeys.email, account.email));
  await deleteRecoveryCodes(tx, account);
  return hasSecondFactor(before);
}
