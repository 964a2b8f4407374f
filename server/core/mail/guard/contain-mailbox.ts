import { sql } from "drizzle-orm";

import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { endMailAppSessions } from "#server/core/mailboxes/mailboxes/mailbox-sessions.ts";
import { replacePassword } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { dropHeld } from "#server/core/sending/messages/drop-held.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";

import { lockHeldMailbox } from "./internal/lock-held-mailbox.ts";

/**
 * Secures a compromised mailbox: sets a temporary password, revokes app passwords, ends all sessions, drops the
 * messages on hold and forgets the networks it was used from in the last day.
 *
 * @returns the temporary password, to be shown once
 * @throws Refusal `not_found`, `invalid_permission`, `invalid` if its sending isn't on hold
 */
export async function containMailbox(
  ctx: Context,
  address: string,
  callerPrivileges: HeldPrivileges,
): Promise<{ temporaryPassword: string; dropped: number }> {
  const contained = await inTransaction(ctx, async (ctx) => {
    const { address: mailbox } = await lockHeldMailbox(ctx, address, callerPrivileges);
    const { temporaryPassword } = await replacePassword(ctx, mailbox);
    await ctx.db.execute(sql`
      delete from sign_in_networks
      where account = ${mailbox} and first_seen_at > clock_timestamp() - interval '1 day'`);
    const dropped = await dropHeld(ctx, mailbox);
    await ctx.db.execute(sql`
      update mailboxes set sending_held_at = null where address = ${mailbox}`);
    await recordAudit(ctx, "mailbox.contained", { mailbox, dropped });
    return { mailbox, temporaryPassword, dropped };
  });
  wakeMessages(ctx.db);
  await endMailAppSessions(ctx, contained.mailbox);
  return { temporaryPassword: contained.temporaryPassword, dropped: contained.dropped };
}
