import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { IS_UNLEASED } from "./lease-due-events.ts";

export type DueWebhook = {
  webhookId: string;
  /** Consecutive failed attempts. */
  failures: number;
  /** Time until its first event is due; negative if overdue. */
  inMs: number;
};

/**
 * Finds enabled webhooks with unleased events due within `withinMs`. A loose index scan: it reads one event
 * per webhook, however many are waiting.
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
