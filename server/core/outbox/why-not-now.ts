import { statfs } from "node:fs/promises";

import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import type { Db } from "#server/db/client.ts";

/** Free space below which nothing new is taken: what is accepted must still be written, delivered and recorded. */
export const DISK_RESERVE_BYTES = 256 * 1024 * 1024;
/** Recipients that may wait, about. */
const WAITING_MAX = 2_000_000;
/** How long a look is good for. */
const FRESH_MS = 1_000;

export type Capacity = { diskReserveBytes: number; waitingMax: number };

const CAPACITY: Capacity = { diskReserveBytes: DISK_RESERVE_BYTES, waitingMax: WAITING_MAX };

let kept: { problem: Promise<string | null>; at: number } | undefined;

/**
 * Why the outbox takes nothing on at this moment, or null. It refuses while it could not keep its
 * promise: a disk that is nearly full, a queue that is far too long. At most a second old.
 */
export function whyNotNow(db: Db): Promise<string | null> {
  const now = performance.now();
  if (!kept || now - kept.at > FRESH_MS) kept = { problem: findProblem(db, CAPACITY), at: now };
  return kept.problem;
}

/** As `whyNotNow`, looked at now. */
export async function findProblem(
  db: Db,
  { diskReserveBytes, waitingMax }: Capacity,
): Promise<string | null> {
  const [disk, waiting] = await Promise.all([statfs(config().dataFolder), aboutWaiting(db)]);
  if (disk.bavail * disk.bsize < diskReserveBytes)
    return "The server's disk is nearly full: nothing is taken on until there is room again";
  if (waiting > waitingMax) return "The server's queue is too long: nothing is taken on for now";
  return null;
}

/** From the server's statistics: counting millions of rows would take as long as sending hundreds. */
async function aboutWaiting(db: Db): Promise<number> {
  const [row] = await db.execute<{ rows: number }>(sql`
    select pg_stat_get_live_tuples('outbox'::regclass)::float8 as rows`);
  return row!.rows;
}
