import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Longer than an attempt and recording it take; a dead worker's events go out within a minute. */
const LEASE_SECONDS = 30;

export const IS_UNLEASED = sql.raw("(lease_until is null or lease_until <= statement_timestamp())");

/** The maximum number of events to lease for a webhook. */
export type Share = { webhookId: string; take: number };

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
};

/**
 * Leases due events of enabled webhooks under the id `lease`, longest due first for each webhook. Skips rows
 * that another worker is leasing.
 */
export async function leaseDueEvents(
  db: Db,
  { lease, shares }: { lease: string; shares: Share[] },
): Promise<LeasedEvent[]> {
  if (shares.length === 0) return [];
  // One index lookup per webhook, and arrays instead of joins: whatever the planner's row estimates, it must
  // never read the whole table.
  const rows = await db.execute<LeasedEvent>(sql`
    with shares as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(shares)}::jsonb)
        as t("webhookId" uuid, take int)
    ), picked as materialized (
      select due.id, due.is_replay, w.endpoint, w.sealed_secret
      from shares cross join lateral (
        select endpoint, sealed_secret from webhooks
        where id = shares."webhookId" and status = 'enabled' limit 1) w
      cross join lateral (
        select id, is_replay from webhook_events
        where webhook_id = shares."webhookId" and next_attempt_at <= statement_timestamp()
          and ${IS_UNLEASED}
        order by next_attempt_at, id limit shares.take
        for no key update skip locked) due
    ), leased as (
      update webhook_events set
        lease_until = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
        lease_owner = ${lease}::uuid, is_replay = false
      where id = any(array(select id from picked))
      returning id, webhook_id, lease_owner, payload::text as payload, next_attempt_at
    )
    select id, webhook_id as "webhookId", lease_owner as lease, endpoint,
      sealed_secret as "sealedSecret", payload, is_replay as "isReplay"
    from leased join picked using (id)
    order by next_attempt_at, id`);
  return [...rows];
}
