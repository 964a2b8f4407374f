import type { Mailbox } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  lockMailbox,
  requirePrivilegeIn,
} from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";

/**
 * Locks a mailbox whose sending is on hold until the caller's transaction ends.
 *
 * @param callerPrivileges of the admin who releases or contains it
 * @throws Refusal `not_found`, `invalid_permission`, `invalid` if its sending isn't on hold
 */
export async function lockHeldMailbox(
  ctx: Context,
  address: string,
  callerPrivileges: HeldPrivileges,
): Promise<Mailbox> {
  const mailbox = await lockMailbox(ctx, address);
  requirePrivilegeIn(callerPrivileges, "reset_user_passwords", mailbox.orgUnitId);
  if (mailbox.sendingHeldAt === null)
    throw new Refusal("invalid", `${mailbox.address} is no longer on hold`);
  return mailbox;
}
