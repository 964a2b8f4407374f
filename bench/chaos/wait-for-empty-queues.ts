import { setTimeout as delay } from "node:timers/promises";

import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

const LOOK_EVERY_MS = 1_000;
/** Leases of killed workers expire after 30 s. */
const STUCK_AFTER_MS = 120_000;

type Waiting = { emails: number; messages: number; scheduled: number; events: number };

/**
 * Waits until all queues are empty. Retries run immediately instead of after minutes. Leases must expire on
 * their own, since they keep two workers off one recipient.
 *
 * @throws Error listing what is still queued when nothing moves for two minutes
 */
export async function waitForEmptyQueues(db: Db): Promise<void> {
  let known = "";
  let changedAt = Date.now();
  let calm = 0;
  while (calm < 2) {
    await retryNow(db);
    const waiting = await countWaiting(db);
    calm = Object.values(waiting).every((count) => count === 0) ? calm + 1 : 0;
    const text = JSON.stringify(waiting);
    if (text !== known) [known, changedAt] = [text, Date.now()];
    if (Date.now() - changedAt > STUCK_AFTER_MS) throw new Error(`The queues don't drain: ${text}`);
    await delay(LOOK_EVERY_MS);
  }
}

async function retryNow(db: Db): Promise<void> {
  const isLater = sql`lease_until is null and next_attempt_at > clock_timestamp()`;
  for (const table of ["outbox", "message_recipients", "webhook_events"])
    await db.execute(
      sql`update ${sql.identifier(table)} set next_attempt_at = clock_timestamp() where ${isLater}`,
    );
}

async function countWaiting(db: Db): Promise<Waiting> {
  const [row] = await db.execute<Waiting>(sql`
    select (select count(*)::int from outbox) as emails,
      (select count(*)::int from message_recipients where state = 'queued') as messages,
      (select count(*)::int from emails where last_event = 'scheduled') as scheduled,
      (select count(*)::int from webhook_events where next_attempt_at is not null) as events`);
  return row!;
}
