import { verifyFactorStep } from "#server/core/access/second-factors/verify-factor-step.ts";
import { proofKind, type Proof } from "#server/core/access/second-factors/verify-proof.ts";
import { endStep, stepExpired } from "#server/core/access/sign-in/steps.ts";
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
  const { email, providerId } = await verifyFactorStep(db, {
    ...{ of: "person", token, proof, clientAddress },
    onWrong: (account) => auditFailedSignIn(db, account, { by: proofKind(proof), clientAddress }),
  });
  // Read before the step ends, so that `completeSignIn` notices a password change after it.
  const person = await findPerson(db, email, { providerId });
  // Of two concurrent correct codes, one signs in.
  if (!(await endStep(db, token, "second_factor")) || !person) throw stepExpired();
  const by = `${providerId ? "identity provider" : "password"} and ${proofKind(proof)}`;
  return completeSignIn(db, person, { by, origin, withSecondFactor: true, providerId });
}
