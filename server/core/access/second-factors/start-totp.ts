import { seal } from "#server/core/shared/secrets/seal.ts";
import { startStep, sessionStepToken } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorOwner } from "./factor-owner.ts";
import { newTotpSecret, totpUrl } from "./totp.ts";

const MINUTES = 15;

/**
 * Starts the setup of an authenticator app, which `confirmTotp` completes.
 *
 * @throws Refusal `invalid` for a wrong password, `rate_limit_exceeded`
 */
export async function startTotp(
  db: Db,
  owner: FactorOwner,
  shown: { password: string | undefined; clientAddress: string },
): Promise<{ secret: string; url: string }> {
  await owner.requirePassword(db, shown);
  const secret = newTotpSecret();
  const token = sessionStepToken(owner.sessionId, "totp_add");
  const step = { kind: "totp_add", account: owner, secret: seal("totp_secret", secret) } as const;
  await startStep(db, { token, ...step, minutes: MINUTES });
  return { secret, url: totpUrl(secret, owner.email) };
}
