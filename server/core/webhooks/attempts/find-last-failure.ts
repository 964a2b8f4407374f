import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Events scanned of each kind: enough to find a recent failure, however many are waiting. */
const SCAN_LIMIT = 500;

export type LastFailure = { error: string; sentAt: string };

/**
 * Finds the newest failed attempt of a webhook; null if none is stored. Scans the events with the latest
 * retries and the newest ones, not all: a webhook can have a million.
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
