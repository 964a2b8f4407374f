import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** A webhook with an event that is due now or soon. */
export type DueWebhook = {
  webhookId: string;
  /** Failed attempts in a row. */
  failures: number;
  /** Until the first of its events is due; less than 0 when one is. */
  inMs: number;
};

/**
 * The enabled webhooks that have events due within `withinMs`, those in the hands of a worker left out.
 *
 * Goes through the index from webhook to webhook and reads one entry of each: it costs as much for one
 * waiting event of a webhook as for a hundred thousand.
 */
export async function findDueWebhooks(db: Db, withinMs: number): Promise<DueWebhook[]> {
  const rows = await db.execute<DueWebhook>(sql`
    with recursive heads as (
      (select webhook_id, next_attempt_at, lease_until from webhook_events
        where next_attempt_at is not null order by webhook_id, next_attempt_at, id limit 1)
      union all
      select next.* from heads cross join lateral (
        select webhook_id, next_attempt_at, lease_until from webhook_events
        where next_attempt_at is not null and webhook_id > heads.webhook_id
        order by webhook_id, next_attempt_at, id limit 1) next
    ), waiting as (
      select w.id, w.failures, case
        when heads.lease_until is null or heads.lease_until <= statement_timestamp()
          then heads.next_attempt_at
        -- Some are under way: the first behind them.
        else (select e.next_attempt_at from webhook_events e
          where e.webhook_id = heads.webhook_id and e.next_attempt_at is not null
            and (e.lease_until is null or e.lease_until <= statement_timestamp())
          order by e.next_attempt_at, e.id limit 1) end as due_at
      from heads cross join lateral (
        select id, failures from webhooks where id = heads.webhook_id and status = 'enabled' limit 1) w
    )
    select id as "webhookId", failures,
      extract(epoch from due_at - statement_timestamp())::float8 * 1000 as "inMs"
    from waiting
    where due_at <= statement_timestamp() + make_interval(secs => ${withinMs}::float8 / 1000)`);
  return [...rows];
}
