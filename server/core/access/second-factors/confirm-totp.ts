import { eq } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import type { Origin } from "#server/core/access/people/sign-in.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { renewSession } from "#server/core/access/sessions/console-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { endStep, sessionStepToken, tryStep } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import { afterFactorChange } from "./internal/after-change.ts";
import { hasSecondFactor } from "./get-factors.ts";
import { lockFactors } from "./lock-factors.ts";
import { replaceRecoveryCodes } from "./recovery-codes.ts";
import { findTimeStep } from "./totp.ts";

export type FactorAdded = {
  /** Set with a person's first factor; shown once. */
  recoveryCodes: string[] | null;
  /** Set-Cookie value of the session, which gets a new id. */
  cookie: string;
};

/**
 * Completes the setup of an authenticator app, replacing an earlier one.
 *
 * @throws Refusal `invalid` beginning with `code`; `not_allowed` after 15 minutes or five wrong codes
 */
export async function confirmTotp(
  db: Db,
  signedIn: Pick<SignedIn, "id" | "email" | "sessionId">,
  code: string,
  origin: Origin,
): Promise<FactorAdded> {
  const { email, sessionId } = signedIn;
  const token = sessionStepToken(sessionId, "totp_add");
  const step = await tryStep(db, token, "totp_add");
  if (!step?.secret) throw setupExpired();
  const { secret } = step;
  const timeStep = findTimeStep(secret, code, new Date());
  if (timeStep === null) throw new Refusal("invalid", "code: is incorrect");
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, email);
    if (!(await endStep(tx, token, "totp_add"))) throw setupExpired();
    await tx
      .update(people)
      .set({ totpSecret: secret, totpLastStep: timeStep })
      .where(eq(people.email, email));
    const recoveryCodes = hasSecondFactor(before) ? null : await replaceRecoveryCodes(tx, email);
    await afterFactorChange(tx, { email }, "totp_added");
    return { recoveryCodes, cookie: await renewSession(tx, signedIn, origin) };
  });
}

const setupExpired = () => new Refusal("not_allowed", "This setup has expired. Start again");
