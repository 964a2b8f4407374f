import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { FIRST_TIME, inOrderedBatches, type OrderedBatch } from "#server/db/in-batches.ts";

const BATCH = 500;

/**
 * Deletes bodies and attachments so many days after an email was sent (or accepted, if it never will be), in
 * small transactions that skip locked rows. Bodies stay while a recipient is in the outbox or the email is
 * scheduled.
 *
 * @returns the number of bodies deleted
 */
export function clearBodies(db: Db, days: number): Promise<number> {
  return inOrderedBatches(BATCH, FIRST_TIME, (from) => clearBatch(db, days, from));
}

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
