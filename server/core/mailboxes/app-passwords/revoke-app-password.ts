import type { Context } from "#server/core/shared/context.ts";
import { requireMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { requireRightIn } from "#server/core/mailboxes/mailboxes/require-right.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { deleteAppPassword } from "./delete-app-password.ts";

/**
 * Deletes an app password of somebody's mailbox on an admin's behalf: it is dead at once, and mail apps
 * have to sign in again.
 *
 * @throws Refusal `not_found`; `invalid_permission` when `rights` do not reach the mailbox's unit
 */
export async function revokeAppPassword(
  ctx: Context,
  rights: HeldPrivileges,
  mailbox: string,
  id: string,
): Promise<void> {
  const { address, orgUnitId } = await requireMailbox(ctx, mailbox);
  requireRightIn(rights, "reset_user_passwords", orgUnitId);
  await deleteAppPassword(ctx, address, id);
}
