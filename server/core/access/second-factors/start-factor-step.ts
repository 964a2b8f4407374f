import { relyingParty } from "#server/core/access/second-factors/relying-party.ts";
import { newToken, startStep } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorAccount } from "./factor-owner.ts";
import { getFactors, hasSecondFactor } from "./get-factors.ts";
import { createPasskeyRequest, type PublicKeyCredentialRequestOptionsJSON } from "./passkeys.ts";

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
