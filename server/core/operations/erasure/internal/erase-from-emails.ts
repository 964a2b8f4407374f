import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import type { Person } from "./person.ts";

/** Whether an email (`emails`) names a person. */
export const hasPerson = ({ address }: Person): SQL => sql`exists (
  select from unnest("to" || cc || bcc || reply_to) as a where lower(a) = ${address})`;

/** Whether an email (`emails`) has been sent to all of its recipients, or never will be. */
export const EMAIL_IS_SETTLED = sql`(due_at is null
  and not exists (select from outbox where outbox.email_id = emails.id))`;

/**
 * Erases a person from settled emails of the API: address, subject, tags, content, and the origin of opens and clicks.
 *
 * @returns the number of emails, and of webhook events about them
 */
export async function eraseFromEmails(
  db: Db,
  person: Person,
): Promise<{ emails: number; "webhook events": number }> {
  const { address, pseudonym, pattern } = person;
  const replaced = (column: string) => sql`array(
    select case when lower(a) = ${address} then ${pseudonym} else a end
    from unnest(${sql.identifier(column)}) with ordinality as each(a, place) order by place)`;
  const rows = await db.execute<{ id: string }>(sql`
    update emails set "to" = ${replaced("to")}, cc = ${replaced("cc")}, bcc = ${replaced("bcc")},
      reply_to = ${replaced("reply_to")}, subject = '', tags = '[]'
    where ${hasPerson(person)} and ${EMAIL_IS_SETTLED}
    returning id`);
  const ids = sql`${`{${rows.map(({ id }) => id).join(",")}}`}::uuid[]`;
  await db.execute(sql`delete from email_attachments where email_id = any(${ids})`);
  await db.execute(sql`delete from email_bodies where email_id = any(${ids})`);
  await db.execute(sql`
    update email_events set
      recipient = case when lower(recipient) = ${address} then ${pseudonym} else recipient end,
      message = regexp_replace(message, ${pattern}, ${pseudonym}, 'gi'),
      reason = regexp_replace(reason, ${pattern}, ${pseudonym}, 'gi'),
      link = regexp_replace(link, ${pattern}, ${pseudonym}, 'gi'),
      ip_address = null, user_agent = null
    where email_id = any(${ids})`);
  // Pending events are still delivered; they are deleted after 30 days.
  const events = await db.execute(sql`
    delete from webhook_events where next_attempt_at is null and payload::text ~* ${pattern} returning id`);
  return { emails: rows.length, "webhook events": events.length };
}
