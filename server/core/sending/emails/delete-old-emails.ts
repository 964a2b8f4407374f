import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { oldestId } from "#server/db/delete-in-batches.ts";
import { FIRST_ID, inOrderedBatches, type OrderedBatch } from "#server/db/in-batches.ts";

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
export function deleteOldEmails(db: Db, days: number): Promise<number> {
  return inOrderedBatches(BATCH, FIRST_ID, (from) => deleteBatch(db, days, from));
}

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
