import { and, eq } from "drizzle-orm";

import {
  auditInEachCompany,
  notifyPerson,
  requireOwnPassword,
} from "#server/core/access/people/people.ts";
import { rememberNetwork, type SignInOrigin } from "#server/core/access/sign-in/throttle.ts";
import {
  endSessionsOfPerson,
  renewSession,
} from "#server/core/access/sessions/console-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import {
  endPersonSteps,
  endStep,
  sessionStepToken,
  startStep,
  tryStep,
} from "#server/core/access/sign-in/steps.ts";
import type { Actor } from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

import { findTimeStep, newTotpSecret, replaceRecoveryCodes, totpUrl } from "./codes.ts";
import {
  type FactorAccount,
  type FactorChange,
  type FactorOwner,
  factorTables,
  getFactors,
  hasSecondFactor,
  lockFactors,
  personAccount,
} from "./factors.ts";
import {
  createPasskeyRegistration,
  PASSKEY_MINUTES,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  storePasskey,
} from "./passkeys.ts";
import { type Proof, requireProof } from "./proofs.ts";

const MINUTES = 15;

/**
 * Starts the setup of an authenticator app, which `confirmTotp` completes.
 *
 * @throws Refusal `invalid` for a wrong password, `rate_limit_exceeded`
 */
export async function startTotp(
  db: Db,
  owner: FactorOwner,
  shown: { password: string | undefined; clientAddress: string },
): Promise<{ secret: string; url: string }> {
  await owner.requirePassword(db, shown);
  const secret = newTotpSecret();
  const token = sessionStepToken(owner.sessionId, "totp_add");
  const step = { kind: "totp_add", account: owner, secret: seal("totp_secret", secret) } as const;
  await startStep(db, { token, ...step, minutes: MINUTES });
  return { secret, url: totpUrl(secret, owner.email) };
}

export type FactorAdded = {
  /** Set with the first factor; shown once. */
  recoveryCodes: string[] | null;
  /** Set-Cookie value of the session, which gets a new id. */
  cookie: string;
};

/**
 * Completes the setup of an authenticator app, replacing an earlier one.
 *
 * @throws Refusal `invalid` beginning with `code`; `not_allowed` after 15 minutes or five wrong codes
 */
export async function confirmTotp(
  db: Db,
  owner: FactorOwner,
  code: string,
  origin: SignInOrigin,
): Promise<FactorAdded> {
  const { kind, email, sessionId } = owner;
  const token = sessionStepToken(sessionId, "totp_add");
  const step = await tryStep(db, token, { kind: "totp_add", of: kind });
  if (!step?.secret) throw setupExpired();
  const { secret } = step;
  const timeStep = findTimeStep(secret, code, new Date());
  if (timeStep === null) throw new Refusal("invalid", "code: is incorrect");
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, owner);
    if (!(await endStep(tx, token, "totp_add"))) throw setupExpired();
    const { accounts } = factorTables(owner);
    await tx
      .update(accounts)
      .set({ totpSecret: secret, totpLastStep: timeStep })
      .where(eq(accounts.email, email));
    const recoveryCodes = hasSecondFactor(before) ? null : await turnOn(tx, owner, origin);
    await owner.afterChange(tx, "totp_added");
    return { recoveryCodes, cookie: await owner.renewSession(tx, origin) };
  });
}

const setupExpired = () => new Refusal("not_allowed", "This setup has expired. Start again");

/** Sign-in requests list them all. */
const PASSKEYS_MAX = 20;

/**
 * Starts adding a passkey.
 *
 * @returns the options for the browser's WebAuthn call
 * @throws Refusal `invalid` for a wrong password; `not_allowed` if this host can't use passkeys;
 *   `rate_limit_exceeded`
 */
export async function startPasskey(
  db: Db,
  owner: FactorOwner,
  shown: { password: string | undefined; clientAddress: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  await owner.requirePassword(db, shown);
  const options = await createPasskeyRegistration(db, owner);
  const token = sessionStepToken(owner.sessionId, "passkey_add");
  const step = { kind: "passkey_add", account: owner, secret: options.challenge } as const;
  await startStep(db, { token, ...step, minutes: PASSKEY_MINUTES });
  return options;
}

/**
 * Stores the passkey that the browser created.
 *
 * @throws Refusal `invalid`; `not_allowed` after five minutes, and for too many passkeys
 */
export async function finishPasskey(
  db: Db,
  owner: FactorOwner,
  { name: typed, response }: { name: string; response: RegistrationResponseJSON },
  origin: SignInOrigin,
): Promise<FactorAdded> {
  const name = readPasskeyName(typed);
  const token = sessionStepToken(owner.sessionId, "passkey_add");
  const step = await tryStep(db, token, { kind: "passkey_add", of: owner.kind });
  const challenge = step?.secret;
  if (!challenge) throw passkeySetupExpired();
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, owner);
    if (!(await endStep(tx, token, "passkey_add"))) throw passkeySetupExpired();
    if (before.passkeys.length >= PASSKEYS_MAX)
      throw new Refusal(
        "not_allowed",
        `You can have at most ${PASSKEYS_MAX} passkeys. Remove one first`,
      );
    await storePasskey(tx, owner, { name, response, challenge });
    const recoveryCodes = hasSecondFactor(before) ? null : await turnOn(tx, owner, origin);
    await owner.afterChange(tx, "passkey_added", { name });
    return { recoveryCodes, cookie: await owner.renewSession(tx, origin) };
  });
}

const passkeySetupExpired = () => new Refusal("not_allowed", "That took too long. Start again");

const NAME_MAX = 60;

/** @throws Refusal `invalid` beginning with `name` */
const readPasskeyName = (text: string): string => readOneLine(text, "name", { max: NAME_MAX });

/** @throws Refusal `not_found`, `invalid` */
export async function renamePasskey(
  db: Db,
  account: FactorAccount,
  { id, name: typed }: { id: string; name: string },
): Promise<void> {
  const { passkeys } = factorTables(account);
  const renamed = await db
    .update(passkeys)
    .set({ name: readPasskeyName(typed) })
    .where(and(eq(passkeys.id, id), eq(passkeys.email, account.email)))
    .returning({ id: passkeys.id });
  if (renamed.length === 0) throw new Refusal("not_found", "Passkey not found");
}

/**
 * Replaces the recovery codes with ten new ones, after a password and a second factor.
 *
 * @throws Refusal `invalid` for a wrong password or code; `not_allowed` without a second factor;
 *   `rate_limit_exceeded`
 */
export async function regenerateRecoveryCodes(
  db: Db,
  owner: FactorOwner,
  shown: { password: string | undefined; proof: Proof; clientAddress: string },
): Promise<string[]> {
  await requireProof(db, owner, shown);
  return db.transaction(async (tx) => {
    if (!hasSecondFactor(await lockFactors(tx, owner)))
      throw new Refusal("not_allowed", "Recovery codes require a second factor. Add one first");
    const codes = await replaceRecoveryCodes(tx, owner);
    await owner.afterChange(tx, "recovery_codes_replaced");
    return codes;
  });
}

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
  origin: SignInOrigin,
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

/** An admin who is signed in at the console. */
export const personOwner = (
  signedIn: Pick<SignedIn, "id" | "email" | "name" | "sessionId">,
): FactorOwner => {
  const { email, name, sessionId } = signedIn;
  return {
    kind: "person",
    email,
    name,
    sessionId,
    async requirePassword(db, { password, clientAddress }) {
      // A provider speaks only for its company, but the factors protect all of the person's companies.
      if (password === undefined) throw new Refusal("invalid", "current_password: is required");
      await requireOwnPassword(db, { email, password, clientAddress });
    },
    afterChange: (db, what, details) => afterFactorChange(db, { email }, what, details),
    async afterTurnedOn(db) {
      await endSessionsOfPerson(db, email, { keptId: sessionId });
    },
    renewSession: (db, origin) => renewSession(db, signedIn, origin),
  };
};

/**
 * Call after adding the first factor, in the same transaction.
 *
 * @returns the recovery codes
 */
async function turnOn(db: Db, owner: FactorOwner, origin: SignInOrigin): Promise<string[]> {
  await rememberNetwork(db, owner.email, origin.clientAddress, { withSecondFactor: true });
  await owner.afterTurnedOn(db);
  return replaceRecoveryCodes(db, owner);
}

/**
 * Follows every change of a person's factors, in its transaction: ends pending sign-in steps, audits the
 * change in each company and notifies the person by email.
 */
async function afterFactorChange(
  db: Db,
  { email, actor }: { email: string; actor?: Actor },
  what: FactorChange,
  details: Record<string, unknown> = {},
): Promise<void> {
  await endPersonSteps(db, email);
  const whom = { email, ...(actor && { actor }) };
  await auditInEachCompany(db, whom, `second_factor.${what}`, { email, ...details });
  await notifyPerson(db, { email, what });
}
