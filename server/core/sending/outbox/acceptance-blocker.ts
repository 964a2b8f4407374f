import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import type { Db } from "#server/db/client.ts";
import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/disk-reserve.ts";

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
export function acceptanceBlocker(db: Db): Promise<string | null> {
  return cache.get("blocker", () => findBlocker(db, CAPACITY));
}

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
