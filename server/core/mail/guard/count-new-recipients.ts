import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * How many outside recipients a mailbox has written to in the last hour from networks it is new on, and
 * to whom never before nor from elsewhere; those of the message about to be taken among them.
 */
export async function countNewRecipients(
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
