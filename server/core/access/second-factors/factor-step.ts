import { newToken, startStep, stepExpired, tryStep } from "#server/core/access/sign-in/steps.ts";
import { forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import { type FactorAccount, getFactors, hasSecondFactor } from "./factors.ts";
import {
  createPasskeyRequest,
  type PublicKeyCredentialRequestOptionsJSON,
  relyingParty,
} from "./passkeys.ts";
import { countProofAttempt, type Proof, proofError, verifyProof } from "./proofs.ts";

export const STEP_MINUTES = 10;

/** The second factors that someone can choose from. */
export type FactorChoices = {
  totp: boolean;
  recoveryCode: boolean;
  /** WebAuthn request for one of their passkeys. */
  passkey: PublicKeyCredentialRequestOptionsJSON | null;
};

/** What a correct password leads to. */
export type SignInResult =
  /** The Set-Cookie value of the new session. */
  | { kind: "signed_in"; cookie: string }
  /** The token is for the second step. */
  | { kind: "second_factor"; token: string; factors: FactorChoices };

/**
 * Starts the second step of a sign-in, after the password or the identity provider; null for an account without a second
 * factor.
 */
export async function startFactorStep(
  db: Db,
  account: FactorAccount,
  { providerId = null }: { providerId?: string | null } = {},
): Promise<{ token: string; factors: FactorChoices } | null> {
  const factors = await getFactors(db, account);
  if (!hasSecondFactor(factors)) return null;
  const hasPasskey = factors.passkeys.length > 0 && relyingParty() !== null;
  const passkey = hasPasskey ? await createPasskeyRequest(db, account) : null;
  const token = newToken();
  const secret = passkey?.challenge ?? null;
  const step = { kind: "second_factor", account, secret, providerId } as const;
  await startStep(db, { token, ...step, minutes: STEP_MINUTES });
  const recoveryCode = factors.recoveryCodesLeft > 0;
  return { token, factors: { totp: factors.hasTotp, recoveryCode, passkey } };
}

/**
 * Verifies the second factor that a step asked for. Wrong ones count toward the sign-in limits, and five end the
 * attempt. The caller ends the step (`endStep`), which only one of two concurrent correct codes can.
 *
 * @returns the account's address, and the identity provider that was used instead of a password
 * @throws Refusal `wrong_credentials`; `not_signed_in` if the step expired; `rate_limit_exceeded`
 */
export async function verifyFactorStep(
  db: Db,
  {
    of: kind,
    token,
    proof,
    clientAddress,
    onWrong,
  }: {
    of: FactorAccount["kind"];
    token: string;
    proof: Proof;
    clientAddress: string;
    onWrong: (email: string) => void;
  },
): Promise<{ email: string; providerId: string | null }> {
  const step = await tryStep(db, token, { kind: "second_factor", of: kind });
  if (!step) throw stepExpired();
  const { email, secret: challenge, providerId } = step;
  const attempt = await countProofAttempt(db, proof, { account: email, clientAddress });
  if (!(await verifyProof(db, { kind, email }, { proof, challenge }))) {
    onWrong(email);
    throw proofError(proof);
  }
  await forgetAttempt(db, attempt);
  return { email, providerId };
}
