import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { inIdBatches } from "./in-id-batches.ts";
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
 * @param batchSize emails in one transaction
 * @returns the number of emails, and of webhook events about them
 */
export async function eraseFromEmails(
  db: Db,
  person: Person,
  batchSize: number,
): Promise<{ emails: number; "webhook events": number }> {
  const erased = await inIdBatches(batchSize, (after) =>
    db.transaction((tx) => eraseBatch(tx, person, { after, batchSize })),
  );
  // Someone else may have answered.
  await db.execute(sql`
    update email_events set recipient = ${person.pseudonym}, reply_message_id = null
    where type in ('replied', 'auto_replied') and lower(recipient) = ${person.address}`);
  // Pending events are still delivered; they are deleted after 30 days.
  const events = await inIdBatches(batchSize, async (after) => {
    const rows = await db.execute<{ id: string }>(sql`
      delete from webhook_events where id = any(array(
        select id from webhook_events
        where id > ${after} and next_attempt_at is null and payload::text ~* ${person.pattern}
        order by id limit ${batchSize}))
      returning id`);
    return rows.map(({ id }) => id);
  });
  return { emails: erased, "webhook events": events };
}

async function eraseBatch(
  db: Db,
  person: Person,
  { after, batchSize }: { after: string; batchSize: number },
): Promise<string[]> {
  const { address, pseudonym, pattern } = person;
  const replaced = (column: string) => sql`array(
    select case when lower(a) = ${address} then ${pseudonym} else a end
    from unnest(${sql.identifier(column)}) with ordinality as each(a, place) order by place)`;
  const rows = await db.execute<{ id: string }>(sql`
    update emails set "to" = ${replaced("to")}, cc = ${replaced("cc")}, bcc = ${replaced("bcc")},
      reply_to = ${replaced("reply_to")}, subject = '', tags = '[]'
    where id = any(array(
      select id from emails where id > ${after} and ${hasPerson(person)} and ${EMAIL_IS_SETTLED}
      order by id limit ${batchSize} for update))
    returning id`);
  const found = rows.map(({ id }) => id);
  const ids = sql`${`{${found.join(",")}}`}::uuid[]`;
  await db.execute(sql`delete from email_attachments where email_id = any(${ids})`);
  await db.execute(sql`delete from email_bodies where email_id = any(${ids})`);
  await db.execute(sql`
    update email_events set
      recipient = case when lower(recipient) = ${address} then ${pseudonym} else recipient end,
      message = regexp_replace(message, ${pattern}, ${pseudonym}, 'gi'),
      reason = regexp_replace(reason, ${pattern}, ${pseudonym}, 'gi'),
      link = regexp_replace(link, ${pattern}, ${pseudonym}, 'gi'),
      ip_address = null, user_agent = null, reply_message_id = null
    where email_id = any(${ids})`);
  return found;
}
