import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Of each kind of event, those looked at: enough for one that failed lately, whatever waits behind it. */
const SCAN_LIMIT = 500;

/** Why an attempt failed, and when it was made. */
export type LastFailure = { error: string; sentAt: string };

/**
 * The newest failed attempt of a webhook; null when none is kept. Looks at the events that are tried
 * again latest and at the newest, not at all: a webhook can have a million.
 */
export async function findLastFailure(db: Db, webhookId: string): Promise<LastFailure | null> {
  const [failure] = await db.execute<LastFailure>(sql`
    select a.error, a.sent_at as "sentAt" from (
      (select id from webhook_events
        where webhook_id = ${webhookId} and next_attempt_at is not null and attempts > 0
        order by webhook_id, next_attempt_at desc, id desc limit ${SCAN_LIMIT})
      union
      (select id from (
        select id, attempts from webhook_events where webhook_id = ${webhookId}
        order by webhook_id, created_at desc, id desc limit ${SCAN_LIMIT}) newest
      where attempts > 0)
    ) e join webhook_attempts a on a.event_id = e.id
    where a.error is not null order by a.sent_at desc limit 1`);
  return failure ?? null;
}
