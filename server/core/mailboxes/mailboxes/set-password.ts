import { eq } from "drizzle-orm";

import { mailboxes, mailboxPolicies } from "#drizzle/schema/index.ts";
import {
  hashPassword,
  passwordMatches,
  requireStrongPassword,
} from "#server/core/access/admins/password.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { lockMailbox, requireMailbox } from "./require-mailbox.ts";

type Options = {
  /** The current session at `/account`. */
  keptSession?: string;
  /** Ends the link that allows this, in the transaction; throws if it has ended already. */
  spendLink?: (ctx: Context) => Promise<void>;
};

/**
 * Sets the password that a mailbox user chose, and clears a pending forced change. Ends every other session.
 *
 * @throws Refusal `not_found`; `invalid` for a password that is too weak for the unit's policy or unchanged,
 *   or if it was changed concurrently
 */
export async function setPassword(
  ctx: Context,
  address: string,
  password: string,
  { keptSession, spendLink }: Options = {},
): Promise<void> {
  const { address: mailbox, name, passwordHash: oldHash } = await requireMailbox(ctx, address);
  const [policy] = await ctx.db
    .select({ lengthMin: mailboxPolicies.passwordLengthMin })
    .from(mailboxPolicies)
    .where(eq(mailboxPolicies.address, mailbox));
  requireStrongPassword(password, [mailbox, name], "password", policy?.lengthMin);
  if (await passwordMatches(password, oldHash))
    throw new Refusal("invalid", "password: must differ from your current one");

  const passwordHash = await hashPassword(password);
  await inTransaction(ctx, async (ctx) => {
    const { passwordHash: currentHash } = await lockMailbox(ctx, mailbox);
    await requireMayOpen(ctx, [mailbox]);
    await spendLink?.(ctx);
    if (currentHash !== oldHash)
      throw new Refusal("invalid", "The password has just been changed. Sign in again");
    await ctx.db
      .update(mailboxes)
      .set({ passwordHash, forcePasswordChange: false })
      .where(eq(mailboxes.address, mailbox));
    await revokeSessions(ctx, mailbox, keptSession === undefined ? {} : { keptSession });
    await recordAudit(ctx, "mailbox.password_changed", {
      mailbox,
      ...(spendLink && { by: "link" }),
    });
  });
  await endMailAppSessions(ctx, mailbox);
}
