import type { Context } from "#server/core/shared/context.ts";
import { requireMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { requirePrivilegeIn } from "#server/core/mailboxes/mailboxes/require-privilege-in.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { deleteAppPassword } from "./delete-app-password.ts";

/**
 * Deletes an app password on an admin's behalf and disconnects the mailbox's mail apps.
 *
 * @throws Refusal `not_found`; `invalid_permission` if `callerPrivileges` don't include the mailbox's unit
 */
export async function revokeAppPassword(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: string,
  id: string,
): Promise<void> {
  const { address, orgUnitId } = await requireMailbox(ctx, mailbox);
  requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
  await deleteAppPassword(ctx, address, id);
}
