import { Refusal } from "#server/core/shared/refusals.ts";
import {
  countProof,
  factorOf,
  type Proof,
  proveFactor,
} from "#server/core/access/second-factors/prove-factor.ts";
import { endStep, tryStep } from "#server/core/access/sign-in/steps.ts";
import { forgetAttempt } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import { findPerson } from "./find-person.ts";
import { noteRefusedSignIn } from "./internal/note-sign-in.ts";
import { letIn, type Origin } from "./sign-in.ts";

/**
 * The second step of signing in: the password was right, and the person shows a code or a passkey. Wrong
 * ones count as wrong passwords do; five end the step. Returns the Set-Cookie value of the new session.
 *
 * @throws Refusal `wrong_credentials`; `not_signed_in` when the step is over; `rate_limit_exceeded`
 */
export async function takeSecondStep(
  db: Db,
  { token, proof, origin }: { token: string; proof: Proof; origin: Origin },
): Promise<string> {
  const { clientAddress } = origin;
  const step = await tryStep(db, token, "second_factor");
  if (!step) throw tooLate();
  const attempt = await countProof(db, proof, { account: step.email, clientAddress });
  const isRight = await proveFactor(db, step.email, { proof, challenge: step.secret });
  if (!isRight) {
    noteRefusedSignIn(db, step.email, { by: factorOf(proof), clientAddress });
    throw new Refusal("wrong_credentials", wrong(proof));
  }
  await forgetAttempt(db, attempt);
  const person = await findPerson(db, step.email);
  // Of two right answers at once, one is let in.
  if (!(await endStep(db, token, "second_factor")) || !person) throw tooLate();
  return letIn(db, person, { by: `password and ${factorOf(proof)}`, origin });
}

const tooLate = () => new Refusal("not_signed_in", "That took too long. Sign in once more");

const wrong = (proof: Proof) =>
  "passkey" in proof ? "This passkey was not accepted" : "The code is wrong, or it was used before";
