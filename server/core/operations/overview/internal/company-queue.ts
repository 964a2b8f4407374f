import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

export type CompanyQueue = {
  /** Emails with pending deliveries, as the list of emails shows them: "queued", "sent" or "delayed". */
  emails: number;
  /** The age of the oldest email or message; null if none is queued. */
  oldestSeconds: number | null;
  /** Only a part of the queue was scanned; there may be more. */
  isCut: boolean;
};

// Per queue. Takes about 100 ms, however long the queue is.
const ROWS_SCANNED_MAX = 5_000;

/** The company's queued emails, without test emails, and messages. */
export async function companyQueue({ db, companyId }: Context): Promise<CompanyQueue> {
  const [row] = await db.execute<CompanyQueue>(sql`
    with emailed as (
      select email_id, created_at from outbox where lease_until is null
      order by next_attempt_at, id limit ${ROWS_SCANNED_MAX}
    ), mailed as (
      select message_id, created_at from message_recipients
      where state = 'queued' and lease_until is null
      order by next_attempt_at, id limit ${ROWS_SCANNED_MAX}
    ), waiting as (
      select q.created_at, e.id as email_id, e.last_event from emailed q
      join emails e on e.id = q.email_id
      where e.company_id = ${companyId} and not e.is_test
      union all
      select q.created_at, null, null from mailed q join messages m on m.id = q.message_id
      where m.company_id = ${companyId}
    )
    select count(distinct email_id) filter (
        where last_event in ('queued', 'sent', 'delivery_delayed'))::int as emails,
      extract(epoch from statement_timestamp() - min(created_at))::float8 as "oldestSeconds",
      greatest((select count(*) from emailed), (select count(*) from mailed)) >= ${ROWS_SCANNED_MAX}
        as "isCut"
    from waiting`);
  return row!;
}
