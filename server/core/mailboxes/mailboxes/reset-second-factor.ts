import { mailboxAccount } from "#server/core/access/second-factors/factor-owner.ts";
import { clearFactors } from "#server/core/access/second-factors/remove-factor.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { endMailAppSessions, revokeSessions } from "./end-mail-sessions.ts";
import { notifyMailboxUser } from "./notify-mailbox-user.ts";
import { lockMailbox } from "./require-mailbox.ts";
import { requirePrivilegeIn } from "./require-privilege-in.ts";

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
