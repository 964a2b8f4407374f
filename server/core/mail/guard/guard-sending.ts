import { sql } from "drizzle-orm";

import { mailboxContacts } from "#drizzle/schema/index.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { holdQueued } from "#server/core/sending/messages/hold-queued.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { newNetworks } from "./internal/new-networks.ts";

export type Sending = {
  mailbox: string;
  companyId: string;
  /** Whether its sending is already on hold. */
  isHeld: boolean;
  clientAddress: string;
  /** Recipients outside the company. */
  outside: string[];
  /** The company's spam filter takes the message for spam. */
  isSpam: boolean;
};

/**
 * Detects mailboxes whose password may have been stolen. If a mailbox sends spam, or writes to more than
 * `guard_new_recipients` new outside recipients within an hour from a network that is new to it, its sending is put on
 * hold and the company is notified. Otherwise the recipients become known contacts.
 *
 * Call it before inserting the message, in the same transaction, with the mailbox's row locked.
 *
 * @returns whether to put the message on hold for its outside recipients
 */
export async function guardSending(db: Db, sending: Sending): Promise<boolean> {
  const { mailbox, companyId, isHeld, outside, isSpam } = sending;
  if (isHeld) return true;
  if (outside.length === 0 && !isSpam) return false;
  if (isSpam || (await isSuspicious(db, sending))) {
    await db.execute(sql`
      update mailboxes set sending_held_at = clock_timestamp() where address = ${mailbox}`);
    const ctx = createContext(db, companyId, { kind: "system", task: "guard_sending" });
    await holdQueued(ctx, mailbox);
    await recordAudit(ctx, "mailbox.sending_held", { mailbox, isSpam });
    await notifyAdmins(ctx, { kind: "sending_held", mailbox, isSpam });
    return true;
  }
  await learnContacts(db, mailbox, outside);
  return false;
}

async function isSuspicious(
  db: Db,
  { mailbox, clientAddress, outside }: Sending,
): Promise<boolean> {
  const { guard_new_recipients: max } = await currentSettings(db);
  if (max === 0) return false;
  const isNew = await newNetworks(db, mailbox);
  if (!isNew(clientAddress)) return false;
  return (await countNewRecipients(db, { mailbox, isNew, outside })) > max;
}

async function learnContacts(db: Db, mailbox: string, contacts: readonly string[]): Promise<void> {
  if (contacts.length === 0) return;
  await db
    .insert(mailboxContacts)
    .values(contacts.map((contact) => ({ mailbox, contact })))
    .onConflictDoNothing();
}

/**
 * The number of outside recipients, including those of the current message, that a mailbox wrote to in the last hour
 * from new networks, but never before and from no other network.
 */
async function countNewRecipients(
  db: Db,
  {
    mailbox,
    isNew,
    outside,
  }: { mailbox: string; isNew: (clientAddress: string) => boolean; outside: string[] },
): Promise<number> {
  const recent = sql`from messages m
    where m.mailbox = ${mailbox} and m.origin = 'submission'
      and m.created_at > clock_timestamp() - interval '1 hour'`;
  const used = await db.execute<{ address: string }>(sql`
    select distinct m.client_address as address ${recent} and m.client_address is not null`);
  const suspect = JSON.stringify(used.map(({ address }) => address).filter(isNew));
  const [found] = await db.execute<{ count: number }>(sql`
    with sent as materialized (
      select r.recipient, m.client_address in (
          select jsonb_array_elements_text(${suspect}::jsonb)) as is_suspect
      from message_recipients r join lateral (
        select m.id, m.client_address ${recent}) m on m.id = r.message_id
    ), asked as (
      select recipient from sent where is_suspect
      union select jsonb_array_elements_text(${JSON.stringify(outside)}::jsonb)
    )
    select count(*)::int as count from asked
    where not exists (select from sent where sent.recipient = asked.recipient and not is_suspect)
      and not exists (
        select from mailbox_contacts c
        where c.mailbox = ${mailbox} and c.contact = asked.recipient
          and c.created_at < clock_timestamp() - interval '1 hour')
      and not exists (
        select from domains d join mailboxes own on own.company_id = d.company_id
        where own.address = ${mailbox} and d.ownership_proven_at is not null
          and d.name = split_part(asked.recipient, '@', 2))`);
  return found!.count;
}
