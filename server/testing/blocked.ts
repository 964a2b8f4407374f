import { setTimeout as delay } from "node:timers/promises";

import { sql } from "drizzle-orm";

import { db, pool } from "#server/db/pool.ts";

const LOOK_EVERY_MS = 20;

/** Resolves once `count` connections of this test's database wait for a lock. */
export async function untilBlocked(count = 1): Promise<void> {
  while ((await blocked()) < count) await delay(LOOK_EVERY_MS);
}

/** The result of `work`, or `blocked` once a connection of this test's database waits for a lock. */
export async function resultOrBlocked<T>(work: Promise<T>): Promise<T | "blocked"> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    if ((await blocked()) > 0) return "blocked";
    await delay(LOOK_EVERY_MS);
  }
  return work;
}

async function blocked(): Promise<number> {
  const [row] = await db().execute<{ number: number }>(sql`
    select count(*)::int as number from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row!.number;
}

/**
 * Blocks everything that queues an accepted message.
 *
 * @returns a function that unblocks it
 */
export async function lockMessages(): Promise<() => void> {
  const gate = Promise.withResolvers<undefined>();
  const locked = Promise.withResolvers<undefined>();
  void pool().sql.begin(async (tx) => {
    await tx`lock table messages in access exclusive mode`;
    locked.resolve(undefined);
    await gate.promise;
  });
  await locked.promise;
  return () => gate.resolve(undefined);
}
