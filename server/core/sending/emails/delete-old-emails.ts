import { sql } from "drizzle-orm";

import {
  FIRST_ID,
  FIRST_TIME,
  inOrderedBatches,
  oldestId,
  type OrderedBatch,
} from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

const BATCH = 500;

/** Counts what `deleteOldEmails` would delete. */
export async function countOldEmails(db: Db, days: number): Promise<number> {
  const [row] = await db.execute<{ count: number }>(
    sql`select count(*)::float8 as count from emails e where ${isOld(days)}`,
  );
  return row!.count;
}

/**
 * Deletes emails that were created more than `days` ago with their history, in small transactions that skip locked
 * rows. Emails that are scheduled or still have a recipient in the outbox stay.
 *
 * @returns the number of emails deleted
 */
export const deleteOldEmails = (db: Db, days: number): Promise<number> =>
  inOrderedBatches(BATCH, FIRST_ID, (from) => deleteBatch(db, days, from));

/** A condition on the row `e`. */
function isOld(days: number) {
  const limit = sql`statement_timestamp() - make_interval(days => ${days})`;
  // Ids are UUIDv7, so the primary key is in the order of time.
  return sql`e.id < ${oldestId(days)} and e.created_at < ${limit} and e.due_at is null
    and e.last_event not in ('scheduled', 'queued')
    and coalesce(e.sent_at, e.created_at) < ${limit}
    and not exists (select from outbox o where o.email_id = e.id)`;
}

async function deleteBatch(db: Db, days: number, from: string) {
  const [batch] = await db.execute<OrderedBatch>(sql`
    with old as materialized (
      select e.id from emails e
      where e.id >= ${from}::uuid and ${isOld(days)}
      order by e.id limit ${BATCH}
      for update of e skip locked
    ), gone as (
      delete from emails where id = any(array(select id from old))
    )
    select count(*)::int as count, max(id::text collate "C") as last from old`);
  return batch!;
}

/**
 * Deletes bodies and attachments so many days after an email was sent (or accepted, if it never will be), in
 * small transactions that skip locked rows. Bodies stay while a recipient is in the outbox or the email is
 * scheduled.
 *
 * @returns the number of bodies deleted
 */
export const clearBodies = (db: Db, days: number): Promise<number> =>
  inOrderedBatches(BATCH, FIRST_TIME, (from) => clearBatch(db, days, from));

async function clearBatch(db: Db, days: number, from: string) {
  const [batch] = await db.execute<OrderedBatch>(sql`
    with cleared as materialized (
      select b.email_id, b.created_at from email_bodies b join emails e on e.id = b.email_id
      where b.created_at >= ${from}::text::timestamptz and b.created_at < statement_timestamp() - make_interval(days => ${days})
        and coalesce(e.sent_at, e.created_at)
          < statement_timestamp() - make_interval(days => ${days})
        and (e.sent_at is not null or e.last_event not in ('scheduled', 'queued'))
        and not exists (select from outbox o where o.email_id = b.email_id)
      order by b.created_at limit ${BATCH}
      for update of b skip locked
    ), files as (
      delete from email_attachments where email_id = any(array(select email_id from cleared))
    ), bodies as (
      delete from email_bodies where email_id = any(array(select email_id from cleared))
    )
    select count(*)::int as count, max(created_at)::text as last from cleared`);
  return batch!;
}
