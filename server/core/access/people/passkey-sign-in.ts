import { Refusal } from "#server/core/shared/refusals.ts";
import { SealError, unseal, seal } from "#server/core/shared/secrets/seal.ts";
import {
  createPasskeyRequest,
  type AuthenticationResponseJSON,
  PASSKEY_MINUTES,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyPasskey,
} from "#server/core/access/second-factors/passkeys.ts";
import { markUsed } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import { findPerson } from "./find-person.ts";
import { completeSignIn, type Origin } from "./sign-in.ts";

const USED = { kind: "passkey_sign_in", minutes: PASSKEY_MINUTES } as const;

/**
 * Starts a sign-in with only a passkey. Anyone can call this, so nothing is stored: the token carries the
 * sealed challenge.
 */
export async function startPasskeySignIn(
  db: Db,
): Promise<{ token: string; options: PublicKeyCredentialRequestOptionsJSON }> {
  const options = await createPasskeyRequest(db, null);
  const until = Date.now() + PASSKEY_MINUTES * 60_000;
  return {
    token: seal("passkey_challenge", JSON.stringify({ challenge: options.challenge, until })),
    options,
  };
}

/**
 * Signs in the owner of a passkey. It counts as both factors, because the authenticator verified the user.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `wrong_credentials` for an unknown passkey, or an owner who can't open any company
 */
export async function finishPasskeySignIn(
  db: Db,
  {
    token,
    response,
    origin,
  }: { token: string; response: AuthenticationResponseJSON; origin: Origin },
): Promise<string> {
  const challenge = readChallenge(token);
  const email =
    challenge &&
    (await verifyPasskey(db, { response, challenge }, { of: "person", mustVerify: true }));
  const person = email ? await findPerson(db, email) : null;
  if (!challenge || !person || !(await markUsed(db, challenge, USED)))
    throw new Refusal("wrong_credentials", "This passkey was not accepted");
  return completeSignIn(db, person, { by: "passkey", origin, withSecondFactor: true });
}

/** The challenge in a token; null if the token is invalid or expired. */
function readChallenge(token: string): string | null {
  try {
    const { challenge, until } = JSON.parse(unseal("passkey_challenge", token)) as {
      challenge: string;
      until: number;
    };
    return until > Date.now() ? challenge : null;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
