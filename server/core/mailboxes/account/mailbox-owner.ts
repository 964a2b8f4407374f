import { eq } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import {
  type FactorOwner,
  mailboxAccount,
} from "#server/core/access/second-factors/factor-owner.ts";
import { getFactors, hasSecondFactor } from "#server/core/access/second-factors/get-factors.ts";
import {
  type AccountUser,
  endAccountSession,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { endMailboxSteps } from "#server/core/access/sign-in/steps.ts";
import { scheduleMailAppEnd } from "#server/core/mailboxes/mailboxes/end-mail-sessions.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";

import { requireOwnMailboxPassword } from "./require-own-password.ts";

/** A mailbox user who is signed in at `/account`. */
export function mailboxOwner(ctx: Context, user: AccountUser): FactorOwner {
  const { address, name, sessionId } = user;
  return {
    ...{ ...mailboxAccount(address), name, sessionId },
    requirePassword: (db, shown) => requireOwnMailboxPassword(db, { address, ...shown }),
    async afterChange(db, what, details) {
      await afterMailboxFactorChange({ ...ctx, db }, address);
      await recordAudit({ ...ctx, db }, `second_factor.${what}`, { mailbox: address, ...details });
    },
    async renewSession(db, { clientAddress, userAgent = null }) {
      await endAccountSession(db, sessionId);
      return startAccountSession(db, address, { clientAddress, userAgent });
    },
  };
}

/**
 * Call in the transaction of every change of a mailbox user's factors. Ends pending sign-in steps and, once a factor is on,
 * the sessions of mail apps.
 */
export async function afterMailboxFactorChange(ctx: Context, address: string): Promise<void> {
  await endMailboxSteps(ctx.db, address);
  const isOn = hasSecondFactor(await getFactors(ctx.db, mailboxAccount(address)));
  const isMailbox = eq(mailboxes.address, address);
  const [before] = await ctx.db
    .select({ isOn: mailboxes.hasSecondFactor })
    .from(mailboxes)
    .where(isMailbox);
  if (before?.isOn === isOn) return;
  await ctx.db.update(mailboxes).set({ hasSecondFactor: isOn }).where(isMailbox);
  if (isOn) await scheduleMailAppEnd(ctx, address);
}
