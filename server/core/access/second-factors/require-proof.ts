import { requireOwnPassword } from "#server/core/access/people/require-own-password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import {
  endStep,
  findStep,
  startStep,
  sessionStepToken,
} from "#server/core/access/sign-in/steps.ts";
import { forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import {
  createPasskeyRequest,
  PASSKEY_MINUTES,
  type PublicKeyCredentialRequestOptionsJSON,
} from "./passkeys.ts";
import { countProofAttempt, type Proof, verifyProof } from "./verify-proof.ts";

const KIND = "passkey_confirm";

type Person = Pick<SignedIn, "email" | "sessionId">;

/** Creates the WebAuthn request for a passkey proof in `requireProof`. */
export async function startPasskeyProof(
  db: Db,
  { email, sessionId }: Person,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await createPasskeyRequest(db, email);
  const step = { kind: KIND, email, secret: options.challenge } as const;
  const token = sessionStepToken(sessionId, KIND);
  await startStep(db, { token, ...step, minutes: PASSKEY_MINUTES });
  return options;
}

/**
 * Asks a signed-in person for their password and a second factor before a change that weakens their
 * protection. Failures count toward the sign-in limits.
 *
 * @throws Refusal `invalid` beginning with `current_password` or `code`, `rate_limit_exceeded`
 */
export async function requireProof(
  db: Db,
  { email, sessionId }: Person,
  { password, proof, clientAddress }: { password: string; proof: Proof; clientAddress: string },
): Promise<void> {
  await requireOwnPassword(db, { email, password, clientAddress });
  const token = sessionStepToken(sessionId, KIND);
  const step = "passkey" in proof ? await findStep(db, token, KIND) : null;
  if (step) await endStep(db, token, KIND);
  const attempt = await countProofAttempt(db, proof, { account: email, clientAddress });
  if (!(await verifyProof(db, email, { proof, challenge: step?.secret ?? null })))
    throw new Refusal("invalid", "code: is incorrect or was already used");
  await forgetAttempt(db, attempt);
}
