import { and, eq } from "drizzle-orm";

import { mailboxes, mailboxPolicies, type MailboxPolicy } from "#drizzle/schema/index.ts";
import {
  type FactorOwner,
  getFactors,
  hasSecondFactor,
  mailboxAccount,
} from "#server/core/access/second-factors/factors.ts";
import { type Proof, requireProof } from "#server/core/access/second-factors/proofs.ts";
import {
  type AccountUser,
  endAccountSession,
  signedInRecently,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { endMailboxFactorSteps } from "#server/core/access/sign-in/steps.ts";
import { dovecotOf } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import {
  selectShownMailboxes,
  type ShownMailbox,
} from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import {
  notifyMailboxUser,
  setPassword,
} from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { revokeSessions } from "#server/core/mailboxes/mailboxes/mailbox-sessions.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { DovecotError, type SieveScript } from "#server/gateways/dovecot.ts";

import { isConfirmed, refuseAsApi } from "./account-sign-in.ts";

/** What `/account` shows first, with what the company allows. */
export type MailboxOverview = Pick<
  ShownMailbox,
  "usedBytes" | "messages" | "quotaMb" | "aliases"
> & {
  areAppPasswordsAllowed: boolean;
  isCalendarAllowed: boolean;
  isForwardingAllowed: boolean;
  passwordLengthMin: number;
  isQuarantineVisible: boolean;
};

/** @throws Refusal `not_found` */
export async function getOverview(ctx: Context, mailbox: string): Promise<MailboxOverview> {
  const [[shown], [policy]] = await Promise.all([
    selectShownMailboxes(ctx).where(
      and(eq(mailboxes.address, mailbox), eq(mailboxes.companyId, ctx.companyId)),
    ),
    ctx.db.select().from(mailboxPolicies).where(eq(mailboxPolicies.address, mailbox)),
  ]);
  if (!shown || !policy) throw new Refusal("not_found", "Mailbox not found");
  const { usedBytes, messages, quotaMb, aliases } = shown;
  return {
    usedBytes,
    messages,
    quotaMb,
    aliases,
    areAppPasswordsAllowed: policy.appPasswordsAllowed,
    isCalendarAllowed: policy.calendarAllowed,
    isForwardingAllowed: policy.forwarding !== "forbidden",
    passwordLengthMin: policy.passwordLengthMin,
    isQuarantineVisible: isQuarantineVisible(policy),
  };
}

/** Mailbox users see their quarantine if they get digests of it or may release from it. */
export const isQuarantineVisible = ({
  quarantineDigest,
  quarantineRelease,
}: Pick<MailboxPolicy, "quarantineDigest" | "quarantineRelease">): boolean =>
  quarantineDigest === "daily" || quarantineRelease === "spam";

/**
 * Changes a mailbox user's own password. Wrong current passwords count toward the sign-in limits. Ends all
 * sessions and starts a new one in place of the current one.
 *
 * @param passwords.current can be left out after `confirmSession`
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `invalid` for a wrong current password or a weak new one, `rate_limit_exceeded`
 */
export async function changePassword(
  ctx: Context,
  user: AccountUser,
  passwords: { current: string | undefined; next: string },
  from: { clientAddress: string; userAgent: string | null },
): Promise<string> {
  const shown = { password: passwords.current, clientAddress: from.clientAddress };
  await requireOwnMailboxPassword(ctx.db, user, shown);
  await setPassword(ctx, user.address, passwords.next, { keptSession: user.sessionId });
  const { providerId } = user;
  const cookie = await startAccountSession(ctx.db, user.address, { ...from, providerId });
  await endAccountSession(ctx.db, user.sessionId);
  return cookie;
}

/**
 * Asks a signed-in mailbox user for the password before a sensitive change. Wrong ones count toward the sign-in limits.
 *
 * @param shown.password can be left out after `confirmSession`
 * @throws Refusal `invalid` for a wrong or missing password, `rate_limit_exceeded`
 */
async function requireOwnMailboxPassword(
  db: Db,
  user: AccountUser,
  { password, clientAddress }: { password: string | undefined; clientAddress: string },
): Promise<void> {
  if (password === undefined) {
    if (await isConfirmed(db, user)) return;
    throw incorrect("Enter your password, or verify your identity with single sign-on");
  }
  const attempt = { username: user.address, password, clientAddress, service: "account" } as const;
  await refuseAsApi(authenticateMailbox(db, attempt)).catch((error: unknown) => {
    if (error instanceof Refusal && error.reason === "wrong_credentials")
      throw incorrect("The current password is incorrect");
    throw error;
  });
}

const incorrect = (message: string) =>
  new Refusal("invalid", message, { field: "current_password" });

/**
 * Lists the Sieve scripts that the user's mail apps manage. They run in addition to the rules set in
 * `/account`.
 *
 * @throws Refusal `application_error` if the mail server doesn't respond
 */
export async function listScripts(
  { db }: Pick<CompanyScope, "db">,
  mailbox: string,
): Promise<SieveScript[]> {
  const dovecot = await dovecotOf(db, mailbox);
  try {
    return await dovecot.sieveScripts(mailbox);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
    throw new Refusal(
      "application_error",
      "The mail server isn't responding. Try again in a minute",
    );
  }
}

/** A mailbox user's proof of identity. */
type ShownIdentity = {
  /** Can be left out after `confirmSession`, or shortly after a sign-in with the identity provider. */
  password: string | undefined;
  /** Needed if they have a second factor. */
  proof: Proof | undefined;
  clientAddress: string;
};

/**
 * Verifies a mailbox user's identity before a change that gives others access to the mail, which a stolen session alone must
 * not make. Failures count toward the sign-in limits.
 *
 * @throws Refusal `invalid` beginning with `current_password` or `code`, `rate_limit_exceeded`
 */
export async function requireIdentity(
  ctx: Context,
  user: AccountUser,
  { proof, ...shown }: ShownIdentity,
): Promise<void> {
  const isRecent = shown.password === undefined && (await signedInRecently(ctx.db, user));
  const owner = {
    ...mailboxOwner(ctx, user),
    ...(isRecent && { requirePassword: () => Promise.resolve() }),
  };
  if (!hasSecondFactor(await getFactors(ctx.db, owner)))
    return owner.requirePassword(ctx.db, shown);
  if (!proof)
    throw new Refusal("invalid", "Enter a code from your second factor", { field: "code" });
  await requireProof(ctx.db, owner, { ...shown, proof });
}

/** A mailbox user who is signed in at `/account`. */
export function mailboxOwner(ctx: Context, user: AccountUser): FactorOwner {
  const { address, name, sessionId, providerId } = user;
  return {
    ...mailboxAccount(address),
    name,
    sessionId,
    requirePassword: (db, shown) => requireOwnMailboxPassword(db, user, shown),
    async afterChange(db, what, details) {
      await endMailboxFactorSteps(db, address);
      await recordAudit({ ...ctx, db }, `second_factor.${what}`, { mailbox: address, ...details });
      await notifyMailboxUser({ ...ctx, db }, { mailbox: address, what });
    },
    // Mail apps may need an app password now, so end their sessions, and all others but this one.
    afterTurnedOn: (db) =>
      revokeSessions({ ...ctx, db }, address, { keptSession: sessionId, keepsLinks: true }),
    async renewSession(db, { clientAddress, userAgent = null }) {
      await endAccountSession(db, sessionId);
      return startAccountSession(db, address, { clientAddress, userAgent, providerId });
    },
  };
}
