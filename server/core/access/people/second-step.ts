import { personAccount } from "#server/core/access/second-factors/factor-owner.ts";
import {
  countProofAttempt,
  proofKind,
  type Proof,
  proofError,
  verifyProof,
} from "#server/core/access/second-factors/verify-proof.ts";
import { endStep, stepExpired, tryStep } from "#server/core/access/sign-in/steps.ts";
import { forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import { findPerson } from "./find-person.ts";
import { auditFailedSignIn } from "./internal/audit-sign-in.ts";
import { completeSignIn, type Origin } from "./sign-in.ts";

/**
 * Completes a sign-in with a second factor. Wrong ones count toward the sign-in limits, and five end the
 * attempt.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `wrong_credentials`; `not_signed_in` if the step expired; `rate_limit_exceeded`
 */
export async function completeSecondStep(
  db: Db,
  { token, proof, origin }: { token: string; proof: Proof; origin: Origin },
): Promise<string> {
  const { clientAddress } = origin;
  const step = await tryStep(db, token, { kind: "second_factor", of: "person" });
  if (!step) throw stepExpired();
  const attempt = await countProofAttempt(db, proof, { account: step.email, clientAddress });
  const isRight = await verifyProof(db, personAccount(step.email), {
    proof,
    challenge: step.secret,
  });
  if (!isRight) {
    auditFailedSignIn(db, step.email, { by: proofKind(proof), clientAddress });
    throw proofError(proof);
  }
  await forgetAttempt(db, attempt);
  const person = await findPerson(db, step.email);
  // Of two concurrent correct codes, one signs in.
  if (!(await endStep(db, token, "second_factor")) || !person) throw stepExpired();
  const by = `password and ${proofKind(proof)}`;
  return completeSignIn(db, person, { by, origin, withSecondFactor: true });
}
