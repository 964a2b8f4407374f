import { countCodeAttempt } from "#server/core/access/sign-in/code-attempts.ts";
import { countAttempt } from "#server/core/access/sign-in/throttle.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorAccount } from "./factor-owner.ts";
import { type AuthenticationResponseJSON, verifyPasskey } from "./passkeys.ts";
import { consumeRecoveryCode } from "./recovery-codes.ts";
import { consumeTotpCode } from "./totp.ts";

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
