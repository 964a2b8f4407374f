import { sql } from "drizzle-orm";

import { type Mailbox, mailboxContacts } from "#drizzle/schema/index.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { sourceNetwork } from "#server/core/access/sign-in/throttle.ts";
import { replacePassword } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { endMailAppSessions } from "#server/core/mailboxes/mailboxes/mailbox-sessions.ts";
import {
  lockMailbox,
  requirePrivilegeIn,
} from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { dropHeld, holdQueued, releaseHeld } from "#server/core/sending/messages/held-messages.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { deleteInBatches, isOlderThan } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

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

/** A mailbox whose sending is on hold, with a sample of its messages. */
export type HeldMailbox = {
  address: string;
  name: string;
  orgUnitId: number;
  since: string;
  messages: number;
  recipients: number;
  /** Addresses that the messages on hold were sent from. */
  clientAddresses: string[];
  /** The newest messages on hold. */
  sample: { subject: string; recipients: string[]; more: number; sentAt: string }[];
};

const MAILBOXES_MAX = 200;
const SAMPLE_MESSAGES = 5;
const SAMPLE_RECIPIENTS = 3;
const ADDRESSES_MAX = 5;

/** The company's mailboxes whose sending is on hold and that the admin can release or contain, newest first. */
export async function listHeld(
  { db, companyId }: Context,
  callerPrivileges: HeldPrivileges,
): Promise<HeldMailbox[]> {
  const rows = await db.execute<HeldMailbox>(sql`
    select b.address, b.name, b.org_unit_id as "orgUnitId", b.sending_held_at as since,
      held.messages, held.recipients, held."clientAddresses", held.sample
    from mailboxes b cross join lateral (
      with held as materialized (
        select m.id, m.subject, m.created_at, m.client_address,
          count(*)::int as recipients,
          (array_agg(r.recipient order by r.id))[:${SAMPLE_RECIPIENTS}] as first
        from messages m join message_recipients r on r.message_id = m.id and r.state = 'held'
        where m.mailbox = b.address and m.company_id = b.company_id
        group by m.id
      )
      select count(*)::int as messages, coalesce(sum(recipients), 0)::int as recipients,
        coalesce((array_agg(distinct client_address)
          filter (where client_address is not null))[:${ADDRESSES_MAX}], '{}') as "clientAddresses",
        coalesce((select json_agg(newest) from (
          select subject, first as recipients, recipients - cardinality(first) as more,
            created_at as "sentAt"
          from held order by created_at desc, id desc limit ${SAMPLE_MESSAGES}) newest), '[]') as sample
      from held
    ) held
    where b.company_id = ${companyId} and b.sending_held_at is not null
    order by b.sending_held_at desc, b.address limit ${MAILBOXES_MAX}`);
  return rows.filter(({ orgUnitId }) =>
    hasPrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId),
  );
}

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

const isOld = (days: number) => isOlderThan(mailboxContacts.createdAt, days);

/** Counts what `deleteOldContacts` would delete. */
export const countOldContacts = (db: Db, days: number): Promise<number> =>
  db.$count(mailboxContacts, isOld(days));

/**
 * Deletes contacts of mailboxes that were first written to more than `days` ago. After that, they count as new
 * recipients again.
 *
 * @returns the number of contacts deleted
 */
export const deleteOldContacts = (db: Db, days: number): Promise<number> =>
  deleteInBatches(db, mailboxContacts, { where: isOld(days) });

/**
 * Locks a mailbox whose sending is on hold until the caller's transaction ends.
 *
 * @param callerPrivileges of the admin who releases or contains it
 * @throws Refusal `not_found`, `invalid_permission`, `invalid` if its sending isn't on hold
 */
async function lockHeldMailbox(
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

/**
 * A predicate for addresses in networks that are new to a mailbox: first seen less than a day ago, or never. The
 * first network that a mailbox was used from never counts as new.
 */
export async function newNetworks(
  db: Db,
  mailbox: string,
): Promise<(clientAddress: string) => boolean> {
  const networks = await db.execute<{ network: string; isNew: boolean }>(sql`
    select network, first_seen_at > clock_timestamp() - interval '1 day'
      and first_seen_at > min(first_seen_at) over () as "isNew"
    from sign_in_networks where account = ${mailbox}`);
  const known = new Map(networks.map(({ network, isNew }) => [network, isNew]));
  return (clientAddress) => known.get(sourceNetwork(clientAddress)) ?? known.size > 0;
}
