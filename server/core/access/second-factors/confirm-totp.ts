import { eq } from "drizzle-orm";

import type { Origin } from "#server/core/access/people/sign-in.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { endStep, sessionStepToken, tryStep } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorOwner } from "./factor-owner.ts";
import { factorTables } from "./internal/factor-tables.ts";
import { turnOn } from "./internal/turn-on.ts";
import { hasSecondFactor } from "./get-factors.ts";
import { lockFactors } from "./lock-factors.ts";
import { findTimeStep } from "./totp.ts";

export type FactorAdded = {
  /** Set with the first factor; shown once. */
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
  owner: FactorOwner,
  code: string,
  origin: Origin,
): Promise<FactorAdded> {
  const { kind, email, sessionId } = owner;
  const token = sessionStepToken(sessionId, "totp_add");
  const step = await tryStep(db, token, { kind: "totp_add", of: kind });
  if (!step?.secret) throw setupExpired();
  const { secret } = step;
  const timeStep = findTimeStep(secret, code, new Date());
  if (timeStep === null) throw new Refusal("invalid", "code: is incorrect");
  return db.transaction(async (tx) => {
    const before = await lockFactors(tx, owner);
    if (!(await endStep(tx, token, "totp_add"))) throw setupExpired();
    const { accounts } = factorTables(owner);
    await tx
      .update(accounts)
      .set({ totpSecret: secret, totpLastStep: timeStep })
      .where(eq(accounts.email, email));
    const recoveryCodes = hasSecondFactor(before) ? null : await turnOn(tx, owner, origin);
    await owner.afterChange(tx, "totp_added");
    return { recoveryCodes, cookie: await owner.renewSession(tx, origin) };
  });
}

const setupExpired = () => new Refusal("not_allowed", "This setup has expired. Start again");
