import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { IS_UNLEASED } from "./lease-due-events.ts";

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
 * Goes through the index from webhook to webhook and reads one event of each: it costs as much for one
 * waiting event of a webhook as for a hundred thousand.
 */
export async function findDueWebhooks(db: Db, withinMs: number): Promise<DueWebhook[]> {
  const rows = await db.execute<DueWebhook>(sql`
    with recursive heads as (
      (select webhook_id, next_attempt_at from webhook_events
        where next_attempt_at is not null and ${IS_UNLEASED}
        order by webhook_id, next_attempt_at, id limit 1)
      union all
      select next.* from heads cross join lateral (
        select webhook_id, next_attempt_at from webhook_events
        where next_attempt_at is not null and ${IS_UNLEASED} and webhook_id > heads.webhook_id
        order by webhook_id, next_attempt_at, id limit 1) next
    )
    select w.id as "webhookId", w.failures,
      extract(epoch from next_attempt_at - statement_timestamp())::float8 * 1000 as "inMs"
    from heads cross join lateral (
      select id, failures from webhooks where id = heads.webhook_id and status = 'enabled' limit 1) w
    where next_attempt_at <= statement_timestamp() + make_interval(secs => ${withinMs}::float8 / 1000)`);
  return [...rows];
}
