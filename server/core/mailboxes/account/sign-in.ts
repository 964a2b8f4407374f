import { count } from "#server/core/platform/monitoring/counters.ts";
import { mailboxAccount } from "#server/core/access/second-factors/factor-owner.ts";
import {
  type SignInResult,
  startFactorStep,
} from "#server/core/access/second-factors/start-factor-step.ts";
import { verifyFactorStep } from "#server/core/access/second-factors/verify-factor-step.ts";
import type { Proof } from "#server/core/access/second-factors/verify-proof.ts";
import {
  endAccountSession,
  findAccountUser,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { rememberNetwork } from "#server/core/access/sign-in/networks.ts";
import { endStep, stepExpired } from "#server/core/access/sign-in/steps.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/authenticate-mailbox.ts";
import type { Db } from "#server/db/client.ts";

import { toRefusal } from "./to-refusal.ts";

type Browser = { cookieHeader: string; clientAddress: string; userAgent: string | null };

/**
 * Signs a mailbox user in at `/account` and ends the browser's previous session, or asks for a second factor if there is
 * one.
 *
 * @throws Refusal `wrong_credentials`, `rate_limit_exceeded`; `not_allowed` if the password is right but
 *   sign-in isn't permitted
 */
export async function signInAtAccount(
  db: Db,
  credentials: { username: string; password: string },
  browser: Browser,
): Promise<SignInResult> {
  const { clientAddress } = browser;
  const attempt = { ...credentials, clientAddress, service: "account" } as const;
  const authenticating = authenticateMailbox(db, attempt);
  authenticating.catch(() => countResult("failed"));
  const { address } = await toRefusal(authenticating);
  const step = await startFactorStep(db, mailboxAccount(address));
  if (step) return { kind: "second_factor", ...step };
  return {
    kind: "signed_in",
    cookie: await openSession(db, address, { ...browser, withSecondFactor: false }),
  };
}

/**
 * Completes a sign-in with a second factor. Wrong ones count toward the sign-in limits, and five end the attempt.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `wrong_credentials`; `not_signed_in` if the step expired; `rate_limit_exceeded`
 */
export async function completeAccountStep(
  db: Db,
  { token, proof, browser }: { token: string; proof: Proof; browser: Browser },
): Promise<string> {
  const { clientAddress } = browser;
  const { email: address } = await verifyFactorStep(db, {
    ...{ of: "mailbox", token, proof, clientAddress },
    onWrong: () => countResult("failed"),
  });
  // Of two concurrent correct codes, one signs in.
  if (!(await endStep(db, token, "second_factor"))) throw stepExpired();
  return openSession(db, address, { ...browser, withSecondFactor: true });
}

async function openSession(
  db: Db,
  address: string,
  { cookieHeader, withSecondFactor, ...from }: Browser & { withSecondFactor: boolean },
): Promise<string> {
  countResult("succeeded");
  await rememberNetwork(db, address, from.clientAddress, { withSecondFactor });
  const before = await findAccountUser(db, cookieHeader);
  if (before) await endAccountSession(db, before.sessionId);
  return startAccountSession(db, address, from);
}

const countResult = (result: "succeeded" | "failed") =>
  count("posthouse_sign_ins_total", { service: "account", result });
