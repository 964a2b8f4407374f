import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { type Plan, planNextAttempt } from "./internal/retry-schedule.ts";
import type { LeasedEvent } from "./lease-due-events.ts";
import { storeFailureCounts } from "./internal/store-failure-counts.ts";
import { lockWebhooksOfEvents } from "#server/core/webhooks/events/lock-webhooks-of-events.ts";

/** The outcome of an attempt. */
export type Attempt = Pick<LeasedEvent, "id" | "webhookId" | "lease" | "isReplay"> & {
  /** Null without a response. */
  httpStatusCode: number | null;
  /** The redacted response. */
  response: string;
  /** Null on success. */
  error: string | null;
  durationMs: number;
  /** ISO 8601. */
  sentAt: string;
};

/** Stored attempts per event. */
const ATTEMPTS_MAX = 50;

/**
 * Records attempts in the order in which they ended, in one transaction: the attempts, the new states of their events,
 * and the consecutive failures of their webhooks. A webhook that reaches 100 is disabled, with an entry in the audit
 * log and a notice to admins.
 *
 * Only attempts with a valid lease are recorded. Repeating a batch does nothing, so a caller that doesn't
 * know whether its commit succeeded can retry. Deleted events and webhooks are ignored.
 *
 * @returns whether an event is due at once because a replay was requested meanwhile
 */
export async function recordAttempts(
  db: Db,
  attempts: Attempt[],
): Promise<{ hasDueEvent: boolean }> {
  if (attempts.length === 0) return { hasDueEvent: false };
  return db.transaction(async (tx) => {
    // Webhooks are locked before events everywhere; the lock also serializes the failure counts.
    const webhooks = await lockWebhooksOfEvents(tx, attempts);
    const held = await lockLeased(tx, attempts);
    const counted = attempts.flatMap((attempt) => {
      const event = held.get(attempt.id);
      return event?.lease === attempt.lease ? { attempt, plan: planAfter(attempt, event) } : [];
    });
    await write(tx, counted);
    await storeFailureCounts(
      tx,
      webhooks,
      counted.map(({ attempt }) => attempt),
    );
    return { hasDueEvent: counted.some(({ plan }) => plan.waitSeconds === 0) };
  });
}

type LeasedRow = { id: string; lease: string; scheduled: number; isReplay: boolean };

async function lockLeased(db: Db, attempts: Attempt[]): Promise<Map<string, LeasedRow>> {
  const given = attempts.map(({ id, lease }) => ({ id, lease }));
  const rows = await db.execute<LeasedRow>(sql`
    select e.* from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id uuid, lease uuid)
    cross join lateral (
      select id, lease_owner as lease, scheduled, is_replay as "isReplay" from webhook_events
      where id = given.id for no key update) e`);
  return new Map(rows.map((row) => [row.id, row]));
}

function planAfter(attempt: Attempt, event: LeasedRow): Plan {
  return planNextAttempt({
    scheduled: event.scheduled,
    succeeded: attempt.error === null,
    wasReplay: attempt.isReplay,
    isReplayRequested: event.isReplay,
  });
}

async function write(db: Db, counted: { attempt: Attempt; plan: Plan }[]): Promise<void> {
  const rows = counted.map(({ attempt, plan }) => ({ ...attempt, ...plan }));
  await db.execute(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t(
        id uuid, "httpStatusCode" int, response text, error text, "durationMs" int,
        "sentAt" timestamptz, status webhook_event_status, scheduled smallint, "waitSeconds" int)
    ), tried as (
      update webhook_events set attempts = attempts + 1, scheduled = given.scheduled,
        status = given.status, lease_until = null, lease_owner = null,
        next_attempt_at = clock_timestamp() + make_interval(secs => given."waitSeconds")
      from given
      where webhook_events.id = any(array(select id from given)) and webhook_events.id = given.id
      returning webhook_events.id, attempts, "httpStatusCode", response, error, "durationMs", "sentAt"
    ), forgotten as (
      delete from webhook_attempts using tried
      where event_id = any(array(select id from tried where attempts > ${ATTEMPTS_MAX}))
        and event_id = tried.id and number <= tried.attempts - ${ATTEMPTS_MAX}
    )
    insert into webhook_attempts
      (event_id, number, http_status_code, response, error, duration_ms, sent_at)
    select id, attempts, "httpStatusCode", response, error, "durationMs", "sentAt" from tried`);
}
