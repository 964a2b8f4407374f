import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

export type QueueDepth = {
  /** Recipients of emails and messages without a final outcome. Excludes mail on hold. */
  waiting: number;
  /** The part of `waiting` that is due and not leased. */
  due: number;
  /** How long the oldest has been due; null if none is. */
  oldestDueSeconds: number | null;
};

/** Counts the delivery queues, row by row: not for requests. An oldest age beyond a minute means that no worker is running. */
export async function getQueueDepth(db: Db): Promise<QueueDepth> {
  // Written to match the indexes: most recipients of messages already have an outcome.
  const [row] = await db.execute<QueueDepth>(sql`
    with waiting as (
      select coalesce(lease_until, next_attempt_at) as since from outbox
      union all
      select next_attempt_at from message_recipients where state = 'queued' and lease_until is null
      union all
      select lease_until from message_recipients where lease_until is not null
    )
    select count(*)::int as waiting,
      (count(*) filter (where since <= statement_timestamp()))::int as due,
      extract(epoch from statement_timestamp()
        - min(since) filter (where since <= statement_timestamp()))::float8 as "oldestDueSeconds"
    from waiting`);
  return row!;
}

/** `oldestDueSeconds` of the queue depth, from the first row of each index instead of a count. */
export async function getOldestDueSeconds(db: Db): Promise<number | null> {
  const [row] = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from statement_timestamp() - since)::float8 as seconds
    from least(
      (select min(next_attempt_at) from outbox where lease_until is null),
      (select min(lease_until) from outbox where lease_until is not null),
      (select min(next_attempt_at) from message_recipients where state = 'queued' and lease_until is null),
      (select min(lease_until) from message_recipients where lease_until is not null)
    ) as since
    where since <= statement_timestamp()`);
  return row?.seconds ?? null;
}
