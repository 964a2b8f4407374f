import { stepExpired, tryStep } from "#server/core/access/sign-in/steps.ts";
import { forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorAccount } from "./factor-owner.ts";
import { countProofAttempt, type Proof, proofError, verifyProof } from "./verify-proof.ts";

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
