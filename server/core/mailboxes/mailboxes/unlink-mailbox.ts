import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { deleteMailboxLink } from "#server/core/access/single-sign-on/mailbox-links.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockMailbox } from "./require-mailbox.ts";
import { requirePrivilegeIn } from "./require-privilege-in.ts";

/**
 * Unlinks a mailbox from its account at the identity provider, such as when that was created again there, and ends the
 * sessions and pending sign-ins that it started. The next sign-in links the account with the mailbox's address.
 *
 * @throws Refusal `not_found`, also if no account is linked; `invalid_permission` if `callerPrivileges` don't include its
 *   unit
 */
export async function unlinkMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  address: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { address: mailbox, orgUnitId } = await lockMailbox(ctx, address);
    requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
    await requireMayOpen(ctx, [mailbox]);
    const subject = await deleteMailboxLink(ctx.db, mailbox);
    if (subject === null) throw new Refusal("not_found", `No account is linked to ${mailbox}`);
    await recordAudit(ctx, "single_sign_on.mailbox_unlinked", { mailbox, subject });
  });
}
