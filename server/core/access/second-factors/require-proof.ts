import { Refusal } from "#server/core/shared/refusals.ts";
import {
  endStep,
  findStep,
  startStep,
  sessionStepToken,
} from "#server/core/access/sign-in/steps.ts";
import { forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorOwner } from "./factor-owner.ts";
import {
  createPasskeyRequest,
  PASSKEY_MINUTES,
  type PublicKeyCredentialRequestOptionsJSON,
} from "./passkeys.ts";
import { countProofAttempt, type Proof, verifyProof } from "./verify-proof.ts";

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
