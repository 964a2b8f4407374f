import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";

import { appPasswords, mailboxes } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { lockMailbox } from "./require-mailbox.ts";
import { newTemporaryPassword } from "./temporary-password.ts";

/**
 * Gives a mailbox a temporary password, which its person has to change. The old one is dead at once and
 * every session ends. App passwords stay, and open nothing until the change is done, unless
 * `removeAppPasswords` says that they may be in somebody else's hands.
 *
 * @throws Refusal `not_found`
 */
export async function resetPassword(
  ctx: Context,
  address: string,
  { removeAppPasswords = false }: { removeAppPasswords?: boolean } = {},
): Promise<{ temporaryPassword: string }> {
  const temporaryPassword = newTemporaryPassword();
  const passwordHash = await hash(temporaryPassword);
  const mailbox = await inTransaction(ctx, async (ctx) => {
    const mailbox = await lockMailbox(ctx, address);
    await ctx.db
      .update(mailboxes)
      .set({ passwordHash, forcePasswordChange: true })
      .where(eq(mailboxes.address, mailbox.address));
    if (removeAppPasswords)
      await ctx.db.delete(appPasswords).where(eq(appPasswords.mailbox, mailbox.address));
    await revokeSessions(ctx.db, mailbox.address);
    await recordAudit(ctx, "mailbox.password_reset", {
      mailbox: mailbox.address,
      ...(removeAppPasswords && { appPasswordsRemoved: true }),
    });
    return mailbox;
  });
  await endMailAppSessions(mailbox.address);
  return { temporaryPassword };
}
