import { createHash } from "node:crypto";

import { signInSteps } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { SealError, open, seal } from "#server/core/shared/secrets/seal.ts";
import {
  askForPasskey,
  type AuthenticationResponseJSON,
  PASSKEY_MINUTES,
  type PublicKeyCredentialRequestOptionsJSON,
  takePasskey,
} from "#server/core/access/second-factors/passkeys.ts";
import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";

import { findPerson } from "./find-person.ts";
import { letIn, type Origin } from "./sign-in.ts";

/**
 * Begins to sign in with a passkey alone. Nothing is kept of it: anybody may ask, and the token carries
 * the challenge, sealed.
 */
export async function startPasskeySignIn(
  db: Db,
): Promise<{ token: string; options: PublicKeyCredentialRequestOptionsJSON }> {
  const options = await askForPasskey(db, null);
  const until = Date.now() + PASSKEY_MINUTES * 60_000;
  return { token: seal(JSON.stringify({ challenge: options.challenge, until })), options };
}

/**
 * Signs in whoever has the passkey, which counts as both factors: the authenticator has made sure of the
 * person. Returns the Set-Cookie value of the new session.
 *
 * @throws Refusal `wrong_credentials` for a passkey that nobody has here, or of somebody who is shut out
 */
export async function finishPasskeySignIn(
  db: Db,
  {
    token,
    response,
    origin,
  }: { token: string; response: AuthenticationResponseJSON; origin: Origin },
): Promise<string> {
  const challenge = challengeOf(token);
  const email = challenge && (await takePasskey(db, { response, challenge }, { mustVerify: true }));
  const person = email ? await findPerson(db, email) : null;
  if (!challenge || !person || !(await isFirstUse(db, challenge)))
    throw new Refusal("wrong_credentials", "This passkey was not accepted");
  return letIn(db, person, { by: "passkey", origin });
}

/** What is to have been signed; null when the token is not ours, or too old. */
function challengeOf(token: string): string | null {
  try {
    const { challenge, until } = JSON.parse(open(token)) as { challenge: string; until: number };
    return until > Date.now() ? challenge : null;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** What was signed opens once, also where a signature was seen on its way. */
async function isFirstUse(db: Db, challenge: string): Promise<boolean> {
  const marked = await db
    .insert(signInSteps)
    .values({
      tokenHash: createHash("sha256").update(`used ${challenge}`).digest("hex"),
      kind: "passkey_sign_in",
      expiresAt: sql`clock_timestamp() + make_interval(mins => ${PASSKEY_MINUTES})`,
    })
    .onConflictDoNothing()
    .returning({ kind: signInSteps.kind });
  return marked.length > 0;
}
