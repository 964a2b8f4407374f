import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

export type CompanyQueue = {
  /** Recipients that wait for their first attempt or the next. */
  waiting: number;
  /** How long the one that has waited longest does; null when none waits. */
  oldestSeconds: number | null;
  /** The queue is so long that only a part of it was looked at: there may be more. */
  isCut: boolean;
};

/** Rows of each queue that are looked at: about 100 ms, however long it is. */
const LOOKED_AT_MAX = 5_000;

/** What of a company's emails and mail waits to leave, the longest due first. */
export async function companyQueue(
  { db, companyId }: Context,
  { lookedAtMax = LOOKED_AT_MAX } = {},
): Promise<CompanyQueue> {
  const [row] = await db.execute<CompanyQueue>(sql`
    with emailed as (
      select email_id, created_at from outbox where lease_until is null
      order by next_attempt_at, id limit ${lookedAtMax}
    ), mailed as (
      select message_id, created_at from message_recipients
      where state = 'queued' and lease_until is null
      order by next_attempt_at, id limit ${lookedAtMax}
    ), waiting as (
      select q.created_at from emailed q join emails e on e.id = q.email_id
      where e.company_id = ${companyId}
      union all
      select q.created_at from mailed q join messages m on m.id = q.message_id
      where m.company_id = ${companyId}
    )
    select count(*)::int as waiting,
      extract(epoch from statement_timestamp() - min(created_at))::float8 as "oldestSeconds",
      greatest((select count(*) from emailed), (select count(*) from mailed)) >= ${lookedAtMax}
        as "isCut"
    from waiting`);
  return row!;
}
