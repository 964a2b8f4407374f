import { randomInt } from "node:crypto";

import { eq } from "drizzle-orm";
import { v7 } from "uuid";

import { appPasswords, mailboxes, mailboxPolicies } from "#drizzle/schema/index.ts";
import {
  hashPassword,
  passwordMatches,
  requireStrongPassword,
} from "#server/core/access/admins/password.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { clearFactors } from "#server/core/access/second-factors/factor-changes.ts";
import { mailboxAccount } from "#server/core/access/second-factors/factors.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import type { MailboxNotice } from "#server/core/platform/notices/notify-admins.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { endMailAppSessions, revokeSessions } from "./mailbox-sessions.ts";
import {
  checkMailServer,
  lockMailbox,
  requireMailbox,
  requirePrivilegeIn,
} from "./require-mailbox.ts";

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
export async function replaceMailboxPassword(
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

type PasswordOptions = {
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
  { keptSession, spendLink }: PasswordOptions = {},
): Promise<void> {
  const { address: mailbox, name, passwordHash: oldHash } = await requireMailbox(ctx, address);
  const [policy] = await ctx.db
    .select({ lengthMin: mailboxPolicies.passwordLengthMin })
    .from(mailboxPolicies)
    .where(eq(mailboxPolicies.address, mailbox));
  await requireStrongPassword(password, [mailbox, name], "password", policy?.lengthMin);
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

const LENGTH = 20;

/** No look-alikes: no 0, O, 1, I or l. */
const CHARACTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** 20 characters, 116 bits. */
export const newTemporaryPassword = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join("");

/**
 * Removes the second factors and recovery codes of a mailbox user who lost them, and ends all sessions.
 *
 * @throws Refusal `not_found`, also without a second factor; `invalid_permission` if `callerPrivileges` don't include its
 *   unit
 */
export async function resetSecondFactor(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
): Promise<void> {
  const mailbox = await inTransaction(ctx, async (ctx) => {
    const { address: mailbox, orgUnitId } = await lockMailbox(ctx, address);
    requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
    await requireMayOpen(ctx, [mailbox]);
    if (!(await clearFactors(ctx.db, mailboxAccount(mailbox))))
      throw new Refusal("not_found", "This mailbox has no second factor");
    await revokeSessions(ctx, mailbox, { keepsLinks: true });
    await recordAudit(ctx, "second_factor.all_removed", { mailbox });
    await notifyMailboxUser(ctx, { mailbox, what: "all_removed" });
    return mailbox;
  });
  await endMailAppSessions(ctx, mailbox);
}

/**
 * Enqueues an email to a mailbox about a change to who can sign in or gets the mail, so that its user notices one they didn't make.
 * Call in the transaction of the change.
 */
export async function notifyMailboxUser(
  { db, companyId }: CompanyScope,
  { mailbox, what }: { mailbox: string; what: MailboxNotice },
): Promise<void> {
  const notice = { kind: "mailbox_factors_changed", mailbox, what } as const;
  await enqueue(db, "send_notice", { id: v7(), companyId, notice });
}
