import { sql } from "drizzle-orm";

import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { releaseHeld } from "#server/core/sending/messages/release-held.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { sourceNetwork } from "#server/core/access/sign-in/networks.ts";

import { lockHeldMailbox } from "./internal/lock-held-mailbox.ts";

/**
 * Ends the hold on a mailbox's sending and releases its messages. Their recipients and the networks they came from
 * become known.
 *
 * @returns the number of recipients released
 * @throws Refusal `not_found`, `invalid_permission`, `invalid` if its sending isn't on hold
 */
export async function releaseSending(
  ctx: Context,
  address: string,
  callerPrivileges: HeldPrivileges,
): Promise<{ released: number }> {
  const released = await inTransaction(ctx, async (ctx) => {
    const { address: mailbox } = await lockHeldMailbox(ctx, address, callerPrivileges);
    await trustHeld(ctx, mailbox);
    await ctx.db.execute(sql`
      update mailboxes set sending_held_at = null where address = ${mailbox}`);
    const released = await releaseHeld(ctx, mailbox);
    await recordAudit(ctx, "mailbox.sending_released", { mailbox, recipients: released });
    return released;
  });
  wakeMessages(ctx.db);
  return { released };
}

/** Backdates contacts and networks so that the guard no longer counts them as new. */
async function trustHeld({ db, companyId }: Context, mailbox: string): Promise<void> {
  const longAgo = sql`clock_timestamp() - interval '2 days'`;
  await db.execute(sql`
    insert into mailbox_contacts (mailbox, contact, created_at)
    select distinct m.mailbox, r.recipient, ${longAgo}
    from messages m join message_recipients r on r.message_id = m.id and r.state = 'held'
    where m.mailbox = ${mailbox} and m.company_id = ${companyId}
    on conflict (mailbox, contact) do update set created_at = excluded.created_at
      where mailbox_contacts.created_at > excluded.created_at`);
  const used = await db.execute<{ address: string }>(sql`
    select distinct m.client_address as address
    from messages m join message_recipients r on r.message_id = m.id and r.state = 'held'
    where m.mailbox = ${mailbox} and m.company_id = ${companyId} and m.client_address is not null`);
  const networks = [...new Set(used.map(({ address }) => sourceNetwork(address)))];
  await db.execute(sql`
    insert into sign_in_networks (account, network, first_seen_at)
    select ${mailbox}, network, ${longAgo}
    from jsonb_array_elements_text(${JSON.stringify(networks)}::jsonb) as used(network)
    on conflict (account, network) do update set first_seen_at = excluded.first_seen_at
      where sign_in_networks.first_seen_at > excluded.first_seen_at`);
}
