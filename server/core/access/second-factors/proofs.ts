import {
  endStep,
  findStep,
  sessionStepToken,
  startStep,
} from "#server/core/access/sign-in/steps.ts";
import {
  countAttempt,
  countCodeAttempt,
  forgetAttempt,
} from "#server/core/access/sign-in/throttle.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { consumeRecoveryCode, consumeTotpCode } from "./codes.ts";
import type { FactorAccount, FactorOwner } from "./factors.ts";
import {
  type AuthenticationResponseJSON,
  createPasskeyRequest,
  PASSKEY_MINUTES,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyPasskey,
} from "./passkeys.ts";

const KIND = "passkey_confirm";

/** Creates the WebAuthn request for a passkey proof in `requireProof`. */
export async function startPasskeyProof(
  db: Db,
  owner: FactorOwner,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await createPasskeyRequest(db, owner);
  const step = { kind: KIND, account: owner, secret: options.challenge } as const;
  const token = sessionStepToken(owner.sessionId, KIND);
  await startStep(db, { token, ...step, minutes: PASSKEY_MINUTES });
  return options;
}

/**
 * Asks someone signed in for their password and a second factor before a change that weakens their
 * protection. Failures count toward the sign-in limits.
 *
 * @throws Refusal `invalid` beginning with `current_password` or `code`, `rate_limit_exceeded`
 */
export async function requireProof(
  db: Db,
  owner: FactorOwner,
  {
    password,
    proof,
    clientAddress,
  }: { password: string | undefined; proof: Proof; clientAddress: string },
): Promise<void> {
  await owner.requirePassword(db, { password, clientAddress });
  const token = sessionStepToken(owner.sessionId, KIND);
  const step = "passkey" in proof ? await findStep(db, token, KIND) : null;
  if (step) await endStep(db, token, KIND);
  const attempt = await countProofAttempt(db, proof, { account: owner.email, clientAddress });
  if (!(await verifyProof(db, owner, { proof, challenge: step?.secret ?? null })))
    throw new Refusal("invalid", "code: is incorrect or was already used");
  await forgetAttempt(db, attempt);
}

/** A second factor that someone presents. */
export type Proof =
  { code: string } | { recoveryCode: string } | { passkey: AuthenticationResponseJSON };

export const proofError = (proof: Proof) =>
  new Refusal(
    "wrong_credentials",
    "passkey" in proof
      ? "This passkey was not accepted"
      : "The code is incorrect or was already used",
  );

/** Name in the audit log. */
export const proofKind = (proof: Proof) =>
  "code" in proof ? "authenticator_app" : "recoveryCode" in proof ? "recovery_code" : "passkey";

/**
 * Counts an attempt before it is checked. Undo with `forgetAttempt` if it succeeds.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
export const countProofAttempt = (
  db: Db,
  proof: Proof,
  attempt: { account: string; clientAddress: string },
): Promise<bigint> =>
  "code" in proof
    ? countCodeAttempt(db, attempt)
    : countAttempt(db, { ...attempt, passwordMark: null });

/**
 * Whether the proof is valid for the account. Uses it up: a code works once.
 *
 * @param challenge what a passkey must have signed; null if none was requested
 */
export async function verifyProof(
  db: Db,
  account: FactorAccount,
  { proof, challenge }: { proof: Proof; challenge: string | null },
): Promise<boolean> {
  if ("code" in proof) return consumeTotpCode(db, account, proof.code);
  if ("recoveryCode" in proof) return consumeRecoveryCode(db, account, proof.recoveryCode);
  if (challenge === null) return false;
  const signed = { response: proof.passkey, challenge };
  const options = { of: account.kind, mustVerify: false };
  return (await verifyPasskey(db, signed, options)) === account.email;
}
