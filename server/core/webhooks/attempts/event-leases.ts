import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

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

/** Longer than an attempt and recording it take. Another worker finds a dead worker's events about a minute later. */
const LEASE_SECONDS = 30;

const IS_UNLEASED = sql.raw("(lease_until is null or lease_until <= statement_timestamp())");

/** `disownEvent` leaves no owner. */
const WAS_LEASED = sql.raw("lease_owner is not null");

/** The maximum number of events to lease for a webhook. */
export type WebhookShare = { webhookId: string; take: number };

/** A due event with everything its delivery needs. */
export type LeasedEvent = {
  id: string;
  webhookId: string;
  /**
   * Id of this lease. The outcome is recorded under it unless the lease has expired and another worker has
   * the event.
   */
  lease: string;
  endpoint: string;
  sealedSecret: string;
  /** Exactly as posted. */
  payload: string;
  /** The attempt was requested manually. */
  isReplay: boolean;
  /** Its lease has expired twice, so it may have killed the workers. */
  isSuspect: boolean;
};

/**
 * Leases due events of enabled webhooks under the id `lease`, longest due first for each webhook. Skips rows
 * that another worker is leasing.
 */
export async function leaseDueEvents(
  db: Db,
  { lease, shares }: { lease: string; shares: WebhookShare[] },
): Promise<LeasedEvent[]> {
  if (shares.length === 0) return [];
  // One index lookup per webhook, and arrays instead of joins: whatever the planner's row estimates, it must
  // never read the whole table.
  const rows = await db.execute<LeasedEvent>(sql`
    with shares as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(shares)}::jsonb)
        as t("webhookId" uuid, take int)
    ), picked as materialized (
      select due.*, w.endpoint, w.sealed_secret
      from shares cross join lateral (
        select endpoint, sealed_secret from webhooks
        where id = shares."webhookId" and status = 'enabled' limit 1) w
      cross join lateral (
        select id, is_replay, was_abandoned and ${WAS_LEASED} as is_suspect from webhook_events
        where webhook_id = shares."webhookId" and next_attempt_at <= statement_timestamp()
          and ${IS_UNLEASED}
        order by next_attempt_at, id limit shares.take
        for no key update skip locked) due
    ), leased as (
      update webhook_events set
        lease_until = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
        lease_owner = ${lease}::uuid, is_replay = false, was_abandoned = was_abandoned or ${WAS_LEASED}
      where id = any(array(select id from picked))
      returning id, webhook_id, lease_owner, payload::text as payload, next_attempt_at
    )
    select id, webhook_id as "webhookId", lease_owner as lease, endpoint,
      sealed_secret as "sealedSecret", payload, is_replay as "isReplay", is_suspect as "isSuspect"
    from leased join picked using (id)
    order by next_attempt_at, id`);
  return [...rows];
}

/** Releases events whose outcome is unknown; they are due again at once. */
export async function releaseEvents(
  db: Db,
  events: Pick<LeasedEvent, "id" | "lease" | "isReplay">[],
): Promise<void> {
  if (events.length === 0) return;
  await db.execute(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
        as t(id uuid, lease uuid, "isReplay" boolean)
    )
    update webhook_events set lease_until = null, lease_owner = null,
      is_replay = is_replay or "isReplay"
    from given
    where webhook_events.id = any(array(select id from given))
      and webhook_events.id = given.id and lease_owner = given.lease`);
}

/** Clears the owner of an event that couldn't be posted because of an error on our side. It is due again when its lease expires. */
export async function disownEvent(
  db: Db,
  { id, lease }: Pick<LeasedEvent, "id" | "lease">,
): Promise<void> {
  await db.execute(sql`
    update webhook_events set lease_owner = null where id = ${id} and lease_owner = ${lease}::uuid`);
}
