import { mailboxAccount } from "#server/core/access/second-factors/factor-owner.ts";
import { STEP_MINUTES } from "#server/core/access/second-factors/start-factor-step.ts";
import {
  type AccountUser,
  findAccountUser,
} from "#server/core/access/sessions/account-sessions.ts";
import { findStep, sessionStepToken, startStep } from "#server/core/access/sign-in/steps.ts";
import { findLinkedMailbox } from "#server/core/access/single-sign-on/mailbox-links.ts";
import { startProviderAttempt } from "#server/core/access/single-sign-on/provider-attempt.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import type { Browser } from "./sign-in.ts";

const KIND = "provider_confirm";

/**
 * Starts verifying a mailbox user's identity with the identity provider, in place of a password they may never have had. Only
 * for sessions that the provider started.
 *
 * @returns the URL to open, and the token that `finishMailboxProviderSignIn` needs
 * @throws Refusal `not_allowed` after a sign-in with the password, or if the provider can't be reached; `rate_limit_exceeded`
 */
export function startProviderConfirmation(
  db: Db,
  { providerId, sessionId }: AccountUser,
  clientAddress: string,
): Promise<{ token: string; url: string }> {
  if (providerId === null)
    throw new Refusal("not_allowed", "You signed in with your password, so enter it to continue");
  return startProviderAttempt(db, "account", {
    ...{ start: { providerId }, clientAddress, confirmedSession: sessionId },
  });
}

/**
 * Lets the session make changes without the password for ten minutes, or until the first one.
 *
 * @param account at the provider, who has just authenticated
 * @throws Refusal `not_signed_in` if it isn't the browser's session; `not_allowed` for the account of another user
 */
export async function confirmSession(
  db: Db,
  sessionId: string,
  {
    account,
    browser,
  }: { account: { providerId: string; subject: string }; browser: Pick<Browser, "cookieHeader"> },
): Promise<void> {
  const user = await findAccountUser(db, browser.cookieHeader);
  if (user?.sessionId !== sessionId)
    throw new Refusal("not_signed_in", "Your session has ended. Sign in again");
  const { address } = user;
  const linked = await findLinkedMailbox(db, account);
  if (linked?.address !== address)
    throw new Refusal(
      "not_allowed",
      `This isn't the account that ${address} is linked to. Sign out at your identity provider and try again`,
    );
  await startStep(db, {
    ...{ kind: KIND, account: mailboxAccount(address), secret: null },
    ...{ providerId: account.providerId },
    ...{ token: sessionStepToken(sessionId, KIND), minutes: STEP_MINUTES },
  });
}

/** Whether `confirmSession` still counts. */
export const isConfirmed = async (
  db: Db,
  { sessionId }: Pick<AccountUser, "sessionId">,
): Promise<boolean> => (await findStep(db, sessionStepToken(sessionId, KIND), KIND)) !== null;
