import { requireOwnPassword } from "#server/core/access/people/require-own-password.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { startStep, sessionStepToken } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import { newTotpSecret, totpUrl } from "./totp.ts";

const MINUTES = 15;

/**
 * Starts the setup of an authenticator app, which `confirmTotp` completes.
 *
 * @throws Refusal `invalid` for a wrong password, `rate_limit_exceeded`
 */
export async function startTotp(
  db: Db,
  { email, sessionId }: Pick<SignedIn, "email" | "sessionId">,
  { password, clientAddress }: { password: string; clientAddress: string },
): Promise<{ secret: string; url: string }> {
  await requireOwnPassword(db, { email, password, clientAddress });
  const secret = newTotpSecret();
  const token = sessionStepToken(sessionId, "totp_add");
  await startStep(db, { token, kind: "totp_add", email, secret: seal(secret), minutes: MINUTES });
  return { secret, url: totpUrl(secret, email) };
}
