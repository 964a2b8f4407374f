import { and, eq, isNotNull, sql } from "drizzle-orm";

import { companies, domains, type IdentityProvider, mailboxes } from "#drizzle/schema/index.ts";
import {
  type SignInResult,
  startFactorStep,
  STEP_MINUTES,
  verifyFactorStep,
} from "#server/core/access/second-factors/factor-step.ts";
import { mailboxAccount } from "#server/core/access/second-factors/factors.ts";
import type { Proof } from "#server/core/access/second-factors/proofs.ts";
import {
  type AccountUser,
  endAccountSession,
  findAccountUser,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { rememberNetwork, SignInError } from "#server/core/access/sign-in/throttle.ts";
import {
  endStep,
  findStep,
  sessionStepToken,
  startStep,
  stepExpired,
} from "#server/core/access/sign-in/steps.ts";
import {
  findLinkedMailbox,
  isProviderRequired,
  linkMailbox,
  lockMailboxLink,
  passwordNotAllowed,
} from "#server/core/access/single-sign-on/mailbox-links.ts";
import {
  finishProviderAttempt,
  identifyAccount,
  type Identity,
  type ProviderAnswer,
  startProviderAttempt,
} from "#server/core/access/single-sign-on/provider-attempt.ts";
import { isBeyondOwners } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { count } from "#server/core/platform/monitoring/counters.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

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
  const { address, ...mailbox } = await refuseAsApi(authenticating);
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
    of: "mailbox",
    token,
    proof,
    clientAddress,
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
async function openSession(
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
    await tx.execute(sql`
      insert into mailbox_sign_ins (address, last_account)
      values (${address}, extract(epoch from clock_timestamp())::bigint)
      on conflict (address) do update set last_account = excluded.last_account`);
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

const countSignIn = (result: "succeeded" | "failed") =>
  count("posthouse_sign_ins_total", { service: "account", result });

/**
 * Completes a mailbox user's sign-in at the company's identity provider. Those with a second factor are asked for it, unless
 * the provider counts as one. If the attempt was started with `startProviderConfirmation`, confirms the session instead.
 *
 * @throws Refusal `not_signed_in` if the attempt has expired or was used; `not_allowed` if the provider rejects it, or the
 *   account doesn't belong to an active mailbox of the company
 */
export async function finishMailboxProviderSignIn(
  db: Db,
  { token, answer, browser }: { token: string; answer: ProviderAnswer; browser: Browser },
): Promise<SignInResult | { kind: "confirmed" }> {
  const finishing = finishProviderAttempt(db, "account", { token, answer });
  finishing.catch(() => countSignIn("failed"));
  const { provider, identity, confirmedSession, succeed } = await finishing;
  if (confirmedSession !== null) {
    const account = { providerId: provider.id, subject: identity.subject };
    await confirmSession(db, confirmedSession, { account, browser });
    await succeed();
    return { kind: "confirmed" };
  }
  const address = await db.transaction((tx) => identifyMailbox(tx, provider, identity));
  await succeed();
  const { id: providerId } = provider;
  const step = provider.isSecondFactor
    ? null
    : await startFactorStep(db, mailboxAccount(address), { providerId });
  if (step) return { kind: "second_factor", ...step };
  const cookie = await openSession(db, address, {
    ...browser,
    withSecondFactor: false,
    providerId,
  });
  return { kind: "signed_in", cookie };
}

/** Aliases aren't linked: only the mailbox's own address. */
async function identifyMailbox(
  tx: Db,
  { id: providerId, companyId }: IdentityProvider,
  identity: Identity,
): Promise<string> {
  const { subject } = identity;
  const address = await identifyAccount(identity, {
    async findLinked() {
      const linked = await findLinkedMailbox(tx, { providerId, subject });
      if (linked?.suspendedAt) throw mailboxSuspended();
      return linked?.address ?? null;
    },
    async link(address) {
      const [mailbox] = await tx
        .select({ suspendedAt: mailboxes.suspendedAt })
        .from(mailboxes)
        .innerJoin(domains, eq(domains.id, mailboxes.domainId))
        .where(
          and(
            eq(mailboxes.companyId, companyId),
            eq(mailboxes.address, address),
            isNotNull(domains.ownershipProvenAt),
          ),
        );
      if (!mailbox) throw noMailbox(address);
      if (mailbox.suspendedAt) throw mailboxSuspended();
      if (!(await linkMailbox(tx, { providerId, subject, mailbox: address }))) return false;
      const ctx = createContext(tx, companyId, { kind: "mailbox", address });
      await recordAudit(ctx, "single_sign_on.mailbox_linked", { mailbox: address, subject });
      return true;
    },
    howToUnlink: "Ask your company's admin to unlink it on the page of your mailbox",
  });
  // Its user may have become an operator or another company's admin since it was linked.
  if (await isBeyondOwners({ db: tx, companyId }, address)) throw beyondProvider(address);
  return address;
}

const mailboxSuspended = () => new Refusal("not_allowed", "This mailbox is suspended");

const beyondProvider = (address: string) =>
  new Refusal(
    "not_allowed",
    `${address} receives mail for the sign-in address of an operator or of an admin of another company, so it can't be opened with your company's identity provider. Sign in with its password`,
  );

const noMailbox = (address: string) =>
  new Refusal(
    "not_allowed",
    `${address} isn't a mailbox of this company. Ask your company's admin to create it, or sign in with another account`,
  );

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
    start: { providerId },
    clientAddress,
    confirmedSession: sessionId,
  });
}

/**
 * Lets the session make changes without the password for ten minutes, or until the first one.
 *
 * @param account at the provider, who has just authenticated
 * @throws Refusal `not_signed_in` if it isn't the browser's session; `not_allowed` for the account of another user
 */
async function confirmSession(
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
    kind: KIND,
    account: mailboxAccount(address),
    secret: null,
    providerId: account.providerId,
    token: sessionStepToken(sessionId, KIND),
    minutes: STEP_MINUTES,
  });
}

/** Whether `confirmSession` still counts. */
export const isConfirmed = async (
  db: Db,
  { sessionId }: Pick<AccountUser, "sessionId">,
): Promise<boolean> => (await findStep(db, sessionStepToken(sessionId, KIND), KIND)) !== null;

/** Converts sign-in errors, which are worded for mail protocols, to API errors. */
export async function refuseAsApi<T>(signingIn: Promise<T>): Promise<T> {
  try {
    return await signingIn;
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    const { message, retryAfterSeconds } = error;
    const text = message.replace(/\.$/, "");
    if (error.why === "wrong_credentials") throw new Refusal("wrong_credentials", text);
    if (error.why === "too_many_attempts")
      throw new Refusal("rate_limit_exceeded", text, { retryAfterSeconds });
    throw new Refusal("not_allowed", text);
  }
}
