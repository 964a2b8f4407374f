import { setTimeout as delay } from "node:timers/promises";

import { sql } from "drizzle-orm";

import { db } from "#server/db/pool.ts";

const LOOK_EVERY_MS = 20;

/** Resolves once `count` connections of this test's database wait for a lock. */
export async function untilBlocked(count = 1): Promise<void> {
  while ((await blocked()) < count) await delay(LOOK_EVERY_MS);
}

async function blocked(): Promise<number> {
  const [row] = await db().execute<{ number: number }>(sql`
    select count(*)::int as number from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return row!.number;
}
