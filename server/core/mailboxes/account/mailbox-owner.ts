import {
  type FactorOwner,
  mailboxAccount,
} from "#server/core/access/second-factors/factor-owner.ts";
import { getFactors, hasSecondFactor } from "#server/core/access/second-factors/get-factors.ts";
import { requireProof } from "#server/core/access/second-factors/require-proof.ts";
import type { Proof } from "#server/core/access/second-factors/verify-proof.ts";
import {
  type AccountUser,
  endAccountSession,
  signedInRecently,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { endMailboxFactorSteps } from "#server/core/access/sign-in/steps.ts";
import { revokeSessions } from "#server/core/mailboxes/mailboxes/end-mail-sessions.ts";
import { notifyMailboxUser } from "#server/core/mailboxes/mailboxes/notify-mailbox-user.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { requireOwnMailboxPassword } from "./require-own-password.ts";

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
    ...{ ...mailboxAccount(address), name, sessionId },
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
