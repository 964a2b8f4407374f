import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

export type QueueDepth = {
  /** Recipients of emails and of messages that are not settled. What is held does not wait. */
  waiting: number;
  /** Of these, due and not being delivered by anyone. */
  due: number;
  /** How long the oldest of those has been due; null when there is none. */
  oldestDueSeconds: number | null;
};

/** How much waits for delivery. An oldest age beyond a minute means that no worker is taking mail. */
export async function queueDepth(db: Db): Promise<QueueDepth> {
  // As the indexes have them: most recipients of messages are settled.
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
