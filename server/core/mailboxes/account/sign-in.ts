import { eq } from "drizzle-orm";

import { companies, mailboxes } from "#drizzle/schema/index.ts";
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
import { lockMailboxLink } from "#server/core/access/single-sign-on/mailbox-links.ts";
import { isProviderRequired } from "#server/core/access/single-sign-on/mailbox-provider.ts";
import { passwordNotAllowed } from "#server/core/access/single-sign-on/password-not-allowed.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/authenticate-mailbox.ts";
import type { Db } from "#server/db/client.ts";

import { toRefusal } from "./to-refusal.ts";

export type Browser = { cookieHeader: string; clientAddress: string; userAgent: string | null };

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
  authenticating.catch(() => countSignIn("failed"));
  const { address, ...mailbox } = await toRefusal(authenticating);
  if (mailbox.isProviderRequired) throw passwordNotAllowed();
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
  const { email: address, providerId } = await verifyFactorStep(db, {
    ...{ of: "mailbox", token, proof, clientAddress },
    onWrong: () => countSignIn("failed"),
  });
  // Of two concurrent correct codes, one signs in.
  if (!(await endStep(db, token, "second_factor"))) throw stepExpired();
  return openSession(db, address, { ...browser, withSecondFactor: true, providerId });
}

/**
 * Starts a session for an authenticated mailbox user, and ends the browser's previous one.
 *
 * @param providerId the identity provider that authenticated them
 * @returns the Set-Cookie value
 * @throws Refusal `not_allowed` if single sign-on is required instead of the password; `not_signed_in` if the mailbox has
 *   just been unlinked from the provider
 */
export async function openSession(
  db: Db,
  address: string,
  {
    cookieHeader,
    withSecondFactor,
    providerId = null,
    ...from
  }: Browser & { withSecondFactor: boolean; providerId?: string | null },
): Promise<string> {
  const cookie = await db.transaction(async (tx) => {
    if (!providerId) await requirePasswordAllowed(tx, address);
    // Locked, so that unlinking the mailbox ends this session too.
    else if (!(await lockMailboxLink(tx, { providerId, mailbox: address }))) throw stepExpired();
    const before = await findAccountUser(tx, cookieHeader);
    if (before) await endAccountSession(tx, before.sessionId);
    return startAccountSession(tx, address, { ...from, providerId });
  });
  await rememberNetwork(db, address, from.clientAddress, { withSecondFactor });
  countSignIn("succeeded");
  return cookie;
}

async function requirePasswordAllowed(tx: Db, address: string): Promise<void> {
  const [found] = await tx
    .select({ isProviderRequired })
    .from(mailboxes)
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .where(eq(mailboxes.address, address));
  if (found?.isProviderRequired) throw passwordNotAllowed();
}

export const countSignIn = (result: "succeeded" | "failed") =>
  count("posthouse_sign_ins_total", { service: "account", result });
