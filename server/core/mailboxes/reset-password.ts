import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";

import { appPasswords, mailboxes } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { lockMailbox } from "./require-mailbox.ts";
import { newTemporaryPassword } from "./temporary-password.ts";

type Options = {
  /** They may be in somebody else's hands. Otherwise they stay, and open nothing until the change is done. */
  removeAppPasswords?: boolean;
};

/**
 * Gives a mailbox a temporary password, which its person has to change. The old one is dead at once and
 * every session ends.
 *
 * @throws Refusal `not_found`
 */
export async function resetPassword(
  ctx: Context,
  address: string,
  options: Options = {},
): Promise<{ temporaryPassword: string }> {
  const { mailbox, temporaryPassword } = await replacePassword(ctx, address, options);
  await endMailAppSessions(mailbox);
  return { temporaryPassword };
}

/**
 * The part of `resetPassword` that is the database's, for a transaction of the caller's: call
 * `endMailAppSessions` after that.
 *
 * @returns the mailbox's address, and the temporary password
 * @throws Refusal `not_found`
 */
export async function replacePassword(
  ctx: Context,
  address: string,
  { removeAppPasswords = false }: Options = {},
): Promise<{ mailbox: string; temporaryPassword: string }> {
  const temporaryPassword = newTemporaryPassword();
  const passwordHash = await hash(temporaryPassword);
  return inTransaction(ctx, async (ctx) => {
    const { address: mailbox } = await lockMailbox(ctx, address);
    await ctx.db
      .update(mailboxes)
      .set({ passwordHash, forcePasswordChange: true })
      .where(eq(mailboxes.address, mailbox));
    if (removeAppPasswords)
      await ctx.db.delete(appPasswords).where(eq(appPasswords.mailbox, mailbox));
    await revokeSessions(ctx.db, mailbox);
    await recordAudit(ctx, "mailbox.password_reset", {
      mailbox,
      ...(removeAppPasswords && { appPasswordsRemoved: true }),
    });
    return { mailbox, temporaryPassword };
  });
}
