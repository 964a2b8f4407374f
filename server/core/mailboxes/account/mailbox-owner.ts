import {
  type FactorOwner,
  mailboxAccount,
} from "#server/core/access/second-factors/factor-owner.ts";
import {
  type AccountUser,
  endAccountSession,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { endMailboxFactorSteps } from "#server/core/access/sign-in/steps.ts";
import { revokeSessions } from "#server/core/mailboxes/mailboxes/end-mail-sessions.ts";
import { notifyMailboxUser } from "#server/core/mailboxes/mailboxes/notify-mailbox-user.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";

import { requireOwnMailboxPassword } from "./require-own-password.ts";

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
