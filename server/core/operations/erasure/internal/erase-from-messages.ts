import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { inIdBatches } from "./in-id-batches.ts";
import type { Person } from "./person.ts";

/** Whether a message (`messages`) has a person as sender, author or recipient. */
export const isOfPerson = ({ address, pattern }: Person): SQL => sql`(
  lower(sender) = ${address} or header_from ~* ${pattern}
  or id in (select message_id from message_recipients
    where lower(recipient) = ${address} or original_recipient ~* ${pattern}))`;

/** Whether all recipients of a message (`messages`) have an outcome. */
export const MESSAGE_IS_SETTLED = sql`not exists (select from message_recipients r
  where r.message_id = messages.id and r.state in ('queued', 'held'))`;

/** Whether a message in quarantine (`quarantine`), or a received email, has a person as sender or author. */
const isByPerson = ({ address, pattern }: Person): SQL => sql`(
  lower(sender) = ${address} or header_from ~* ${pattern})`;

/** Whether a message in quarantine (`quarantine`) is by a person and waits for a group's moderators. */
export const awaitsModeration = (person: Person): SQL => sql`(
  reason = 'moderation' and released_as is null and ${isByPerson(person)})`;

/**
 * Erases a person from settled messages and their history: as sender, author and recipient.
 *
 * @param batchSize messages in one transaction
 * @returns the number of messages
 */
export async function eraseFromMessages(
  db: Db,
  person: Person,
  batchSize: number,
): Promise<Record<"messages" | "quarantined messages" | "received emails", number>> {
  const messages = await inIdBatches(batchSize, (after) =>
    db.transaction((tx) => eraseBatch(tx, person, { after, batchSize })),
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

async function eraseBatch(
  db: Db,
  person: Person,
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
