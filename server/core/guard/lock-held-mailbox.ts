import type { Mailbox } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import { lockMailbox } from "#server/core/mailboxes/require-mailbox.ts";
import { nameOfPrivilege } from "#server/core/privileges.ts";
import { Refusal } from "#server/core/refusals.ts";
import { mayIn, type Rights } from "#server/core/rights/rights.ts";

/**
 * A mailbox of the company whose sending is held, its row locked until the caller's transaction ends.
 *
 * @param rights of who wants to release or contain it
 * @throws Refusal `not_found`, `invalid_permission`, `invalid` when it is not held (any more)
 */
export async function lockHeldMailbox(
  ctx: Context,
  address: string,
  rights: Rights,
): Promise<Mailbox> {
  const mailbox = await lockMailbox(ctx, address);
  if (!mayIn(rights, "reset_user_passwords", mailbox.orgUnitId))
    throw new Refusal(
      "invalid_permission",
      `You lack the privilege ${nameOfPrivilege("reset_user_passwords")} for the unit of this mailbox. Ask an owner of your company for it`,
    );
  if (mailbox.sendingHeldAt === null)
    throw new Refusal("invalid", `Mail of ${mailbox.address} is not held any more`);
  return mailbox;
}
