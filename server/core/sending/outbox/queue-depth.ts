import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import type { Db } from "#server/db/client.ts";
import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/machine.ts";

export type QueueDepth = {
  /** Recipients of emails and messages without a final outcome. Excludes mail on hold. */
  waiting: number;
  /** The part of `waiting` that is due and not leased. */
  due: number;
  /** How long the oldest has been due; null if none is. */
  oldestDueSeconds: number | null;
};

/** Counts the delivery queues, row by row: not for requests. An oldest age beyond a minute means that no worker is running. */
export async function getQueueDepth(db: Db): Promise<QueueDepth> {
  // Written to match the indexes: most recipients of messages already have an outcome.
  const [row] = await db.execute<QueueDepth>(sql`
    with waiting as (
      select coalesce(lease_until, next_attempt_at) as since from outbox
      union all
      select next_attempt_at from message_recipients where state = 'queued' and lease_until is null
      union all
      select lease_until from message_recipients where lease_until is not null
    )
    select count(*)::int as waiting,
      (count(*) filter (where since <= statement_timestamp()))::int as due,
      extract(epoch from statement_timestamp()
        - min(since) filter (where since <= statement_timestamp()))::float8 as "oldestDueSeconds"
    from waiting`);
  return row!;
}

/** `oldestDueSeconds` of the queue depth, from the first row of each index instead of a count. */
export async function getOldestDueSeconds(db: Db): Promise<number | null> {
  const [row] = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from statement_timestamp() - since)::float8 as seconds
    from least(
      (select min(next_attempt_at) from outbox where lease_until is null),
      (select min(lease_until) from outbox where lease_until is not null),
      (select min(next_attempt_at) from message_recipients where state = 'queued' and lease_until is null),
      (select min(lease_until) from message_recipients where lease_until is not null)
    ) as since
    where since <= statement_timestamp()`);
  return row?.seconds ?? null;
}

/** An estimate is compared with it. */
const WAITING_MAX = 2_000_000;

const CACHE_TTL_MS = 1_000;

export type Capacity = { diskReserveBytes: number; waitingMax: number };

const CAPACITY: Capacity = { diskReserveBytes: DISK_RESERVE_BYTES, waitingMax: WAITING_MAX };

const cache = new PromiseCache<string | null>({ max: 1, ttlMs: CACHE_TTL_MS });

/**
 * Returns why the outbox accepts nothing now: a nearly full disk or an overlong queue; null if it does.
 * Cached for a second.
 */
export const acceptanceBlocker = (db: Db): Promise<string | null> =>
  cache.get("blocker", () => findBlocker(db, CAPACITY));

/** `acceptanceBlocker` without the cache. */
export async function findBlocker(
  db: Db,
  { diskReserveBytes, waitingMax }: Capacity,
): Promise<string | null> {
  const [free, waiting] = await Promise.all([
    freeBytesAt(config().dataFolder),
    estimateQueueLength(db),
  ]);
  if (free < diskReserveBytes)
    return "Insufficient storage: the server's disk is nearly full. Try again later";
  if (waiting > waitingMax) return "The sending queue is full. Try again later";
  return null;
}

/**
 * From Postgres' statistics: counting millions of rows would take as long as sending hundreds of emails. Most recipients of
 * messages have an outcome already, so only the index of the others counts, as of the last automatic analysis.
 */
async function estimateQueueLength(db: Db): Promise<number> {
  const [row] = await db.execute<{ rows: number }>(sql`
    select pg_stat_get_live_tuples('outbox'::regclass)::float8 + greatest(reltuples, 0) as rows
    from pg_class where oid = 'message_recipients_due_idx'::regclass`);
  return row!.rows;
}
