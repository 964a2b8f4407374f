import { eq } from "drizzle-orm";

import { appPasswords, mailboxes } from "#drizzle/schema/index.ts";
import { hashPassword } from "#server/core/access/admins/password.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { checkMailServer } from "./require-mail-server.ts";
import { lockMailbox } from "./require-mailbox.ts";
import { requirePrivilegeIn } from "./require-privilege-in.ts";
import { newTemporaryPassword } from "./internal/temporary-password.ts";

type Options = {
  /** The caller's, unless already checked. */
  callerPrivileges?: HeldPrivileges;
  /** App passwords may be compromised too, so they are deleted. Those kept don't work until the password is changed. */
  keepsAppPasswords?: boolean | undefined;
};

/**
 * Gives a mailbox a temporary password, deletes its app passwords, and ends all its sessions.
 *
 * @returns the mailbox's address, and the temporary password
 * @throws Refusal `not_found`; `invalid_permission` if `callerPrivileges` don't include its unit; `mail_server_error`
 */
export async function resetPassword(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
  { keepsAppPasswords }: Pick<Options, "keepsAppPasswords"> = {},
): Promise<{ mailbox: string; temporaryPassword: string }> {
  const requireAnswer = await checkMailServer(ctx);
  const replaced = await inTransaction(ctx, async (ctx) => {
    const replaced = await replacePassword(ctx, address, { callerPrivileges, keepsAppPasswords });
    requireAnswer();
    return replaced;
  });
  await endMailAppSessions(ctx, replaced.mailbox);
  return replaced;
}

/**
 * The database part of `resetPassword`, for use in the caller's transaction. Call `endMailAppSessions` after
 * it.
 *
 * @returns the mailbox's address, and the temporary password
 * @throws Refusal `not_found`; `invalid_permission` if `callerPrivileges` don't include its unit, or as `requireMayOpen`
 */
export async function replacePassword(
  ctx: Context,
  address: string,
  { callerPrivileges, keepsAppPasswords = false }: Options = {},
): Promise<{ mailbox: string; temporaryPassword: string }> {
  const temporaryPassword = newTemporaryPassword();
  const passwordHash = await hashPassword(temporaryPassword);
  return inTransaction(ctx, async (ctx) => {
    const { address: mailbox, orgUnitId } = await lockMailbox(ctx, address);
    if (callerPrivileges) requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
    await requireMayOpen(ctx, [mailbox]);
    await ctx.db
      .update(mailboxes)
      .set({ passwordHash, forcePasswordChange: true })
      .where(eq(mailboxes.address, mailbox));
    const removed = keepsAppPasswords
      ? []
      : await ctx.db
          .delete(appPasswords)
          .where(eq(appPasswords.mailbox, mailbox))
          .returning({ id: appPasswords.id });
    await revokeSessions(ctx, mailbox);
    await recordAudit(ctx, "mailbox.password_reset", {
      mailbox,
      ...(removed.length > 0 && { appPasswordsRemoved: true }),
    });
    return { mailbox, temporaryPassword };
  });
}
