import { type SQL, sql } from "drizzle-orm";

import { eraseFromAudit } from "#server/core/shared/audit/delete-audit.ts";
import type { Db } from "#server/db/client.ts";

/** Whether an email (`emails`) names a person. */
export const hasPerson = ({ address }: ErasedPerson): SQL => sql`exists (
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
  person: ErasedPerson,
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
  person: ErasedPerson,
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

/** Whether a message (`messages`) has a person as sender, author or recipient. */
export const isOfPerson = ({ address, pattern }: ErasedPerson): SQL => sql`(
  lower(sender) = ${address} or header_from ~* ${pattern}
  or id in (select message_id from message_recipients
    where lower(recipient) = ${address} or original_recipient ~* ${pattern}))`;

/** Whether all recipients of a message (`messages`) have an outcome. */
export const MESSAGE_IS_SETTLED = sql`not exists (select from message_recipients r
  where r.message_id = messages.id and r.state in ('queued', 'held'))`;

/** Whether a message in quarantine (`quarantine`), or a received email, has a person as sender or author. */
const isByPerson = ({ address, pattern }: ErasedPerson): SQL => sql`(
  lower(sender) = ${address} or header_from ~* ${pattern})`;

/** Whether a message in quarantine (`quarantine`) is by a person and waits for a group's moderators. */
export const awaitsModeration = (person: ErasedPerson): SQL => sql`(
  reason = 'moderation' and released_as is null and ${isByPerson(person)})`;

/**
 * Erases a person from settled messages and their history: as sender, author and recipient.
 *
 * @param batchSize messages in one transaction
 * @returns the number of messages
 */
export async function eraseFromMessages(
  db: Db,
  person: ErasedPerson,
  batchSize: number,
): Promise<Record<"messages" | "quarantined messages" | "received emails", number>> {
  const messages = await inIdBatches(batchSize, (after) =>
    db.transaction((tx) => eraseMessages(tx, person, { after, batchSize })),
  );
  const quarantined = await db.execute(sql`
    delete from quarantine where released_as is null and reason <> 'moderation'
      and ${isByPerson(person)} returning id`);
  const received = await db.execute(sql`
    delete from received_emails where ${isByPerson(person)}
      or exists (select from unnest("to" || cc || bcc || reply_to) as a where lower(a) = ${person.address})
    returning id`);
  return {
    messages,
    "quarantined messages": quarantined.length,
    "received emails": received.length,
  };
}

async function eraseMessages(
  db: Db,
  person: ErasedPerson,
  { after, batchSize }: { after: string; batchSize: number },
): Promise<string[]> {
  const { address, pseudonym, pattern } = person;
  const rows = await db.execute<{ id: string }>(sql`
    update messages set subject = '', client_address = null, message_id = null,
      sender = case when lower(sender) = ${address} then ${pseudonym} else sender end,
      header_from = case when header_from ~* ${pattern} then ${pseudonym} else header_from end
    where id = any(array(
      select id from messages
      where id > ${after} and ${isOfPerson(person)} and ${MESSAGE_IS_SETTLED}
      order by id limit ${batchSize} for update))
    returning id`);
  const found = rows.map(({ id }) => id);
  const ids = sql`${`{${found.join(",")}}`}::uuid[]`;
  await db.execute(sql`delete from message_contents where message_id = any(${ids})`);
  await db.execute(sql`
    update message_recipients set reply = regexp_replace(reply, ${pattern}, ${pseudonym}, 'gi'),
      recipient = case when lower(recipient) = ${address} then ${pseudonym} else recipient end,
      original_recipient = regexp_replace(original_recipient, ${pattern}, ${pseudonym}, 'gi')
    where message_id = any(${ids})`);
  await db.execute(sql`
    update message_delays set reply = regexp_replace(reply, ${pattern}, ${pseudonym}, 'gi'),
      recipient = case when lower(recipient) = ${address} then ${pseudonym} else recipient end
    where message_id = any(${ids})`);
  return found;
}

/** Erases a person from lists and logs. Returns the number of rows by what they are. */
export async function eraseFromLists(
  db: Db,
  { address, pseudonym, pattern }: ErasedPerson,
  { keepsSuppressions }: { keepsSuppressions: boolean },
): Promise<Record<string, number>> {
  const statements: Record<string, SQL> = {
    ...(!keepsSuppressions && {
      suppressions: sql`delete from suppressions where email = ${address} returning 1`,
    }),
    contacts: sql`delete from mailbox_contacts where lower(contact) = ${address} returning 1`,
    "group members": sql`delete from group_members where member = ${address} returning 1`,
    "failing group members": sql`delete from failing_members where member = ${address} returning 1`,
    "forwarding requests": sql`delete from forward_confirmations where target = ${address} returning 1`,
    "suspended forwards": sql`delete from forward_suspensions where target = ${address} returning 1`,
    "deleted items": eraseFromDeleted({ address, pseudonym, pattern }),
    invitations: sql`delete from invitations where email = ${address} returning 1`,
    "lines of imported lists": sql`
      delete from mailbox_import_lines where state = 'skipped' and address ~* ${pattern} returning 1`,
    "private addresses of imported lists": sql`
      update mailbox_import_lines set private_address = null
      where private_address ~* ${pattern} returning 1`,
    greylist: sql`
      delete from greylist where lower(sender) = ${address} or lower(recipient) = ${address} returning 1`,
    "sign-in attempts": sql`delete from sign_in_attempts where email = ${address} returning 1`,
    "mail log entries": sql`
      delete from mail_log where lower(sender) = ${address} or lower(recipient) = ${address} returning 1`,
    "API requests": sql`
      update request_log set endpoint = regexp_replace(endpoint, ${pattern}, ${pseudonym}, 'gi'),
        message = regexp_replace(message, ${pattern}, ${pseudonym}, 'gi')
      where endpoint ~* ${pattern} or message ~* ${pattern} returning 1`,
    "bodies of API requests": sql`
      delete from request_bodies where body ~* ${pattern} returning 1`,
  };
  const erased: Record<string, number> = {};
  for (const [what, statement] of Object.entries(statements))
    erased[what] = (await db.execute(statement)).length;
  erased["audit entries"] = await eraseFromAudit(db, { pattern, pseudonym });
  return erased;
}

/** What a deleted mailbox, group or domain would bring back: group members, contacts, suspended forwards. */
const eraseFromDeleted = ({ address, pseudonym, pattern }: ErasedPerson): SQL => sql`
  update deleted_items set deleted_by = regexp_replace(deleted_by, ${pattern}, ${pseudonym}, 'gi'),
    contents = (
      select jsonb_object_agg(kept.key, (
        select coalesce(jsonb_agg(entry), '[]'::jsonb) from jsonb_array_elements(kept.value) entry
        where lower(coalesce(entry ->> 'member', entry ->> 'contact', entry ->> 'target', ''))
          <> ${address}))
      from jsonb_each(contents) kept)
  where contents::text ~* ${pattern} or deleted_by ~* ${pattern} returning 1`;

const FIRST = "00000000-0000-0000-0000-000000000000";

/**
 * Repeats `work` on rows in the order of their UUIDs, until a batch isn't full.
 *
 * @param work processes up to `size` rows with an ID after `after`, and returns their IDs
 * @returns the number of rows
 */
async function inIdBatches(
  size: number,
  work: (after: string) => Promise<string[]>,
): Promise<number> {
  let after = FIRST;
  for (let count = 0; ;) {
    const ids = await work(after);
    count += ids.length;
    if (ids.length < size) return count;
    after = ids.reduce((last, id) => (id > last ? id : last));
  }
}

/** Someone outside the appliance whose data is erased. */
export type ErasedPerson = {
  /** Lowercase. */
  address: string;
  /** What replaces it. */
  pseudonym: string;
  /** A regular expression of Postgres that finds the address in a text, but not inside a longer address. */
  pattern: string;
};

/** Also matches an address that is percent-encoded in a path. */
export function personPattern(address: string): string {
  const characters = Array.from(address, (character) => {
    // JSON escapes quotes with a backslash.
    const escaped =
      character === '"' ? '\\\\?"' : character.replace(/[.*+?^${}()|[\]\\/-]/, "\\$&");
    const encoded = encodeURIComponent(character);
    return encoded === character ? escaped : `(?:${escaped}|${encoded})`;
  });
  return `(?<![a-z0-9._%+-])${characters.join("")}(?![a-z0-9-]|\\.[a-z0-9])`;
}
