import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

export type QueueDepth = {
  /** Recipients in the outbox. */
  waiting: number;
  /** Of these, due and not being delivered by anyone. */
  due: number;
  /** How long the oldest of those has been due; null when there is none. */
  oldestDueSeconds: number | null;
};

/** How much waits for delivery. An oldest age beyond a minute means that no worker is taking mail. */
export async function queueDepth(db: Db): Promise<QueueDepth> {
  const [row] = await db.execute<QueueDepth>(sql`
    with unheld as (
      select coalesce(lease_until, next_attempt_at) as since from outbox
      where coalesce(lease_until, next_attempt_at) <= statement_timestamp()
    )
    select (select count(*)::int from outbox) as waiting, (select count(*)::int from unheld) as due,
      (select extract(epoch from statement_timestamp() - min(since))::float8 from unheld)
        as "oldestDueSeconds"`);
  return row!;
}
