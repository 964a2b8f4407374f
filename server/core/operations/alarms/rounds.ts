import { eq, sql } from "drizzle-orm";

import { watchRounds } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

type Result = Record<string, unknown>;

type Round = { startedAt: string; finishedAt: string | null; result: Result };

/**
 * Starts a round of work that only one process at a time does. If that process dies, the next round starts when it
 * is due.
 *
 * @param everySeconds the time between the starts of two rounds
 * @returns the result of the round before, or null if a round isn't due or another process has started it
 */
export async function startRound(
  db: Db,
  name: string,
  everySeconds: number,
): Promise<Result | null> {
  const [started] = await db.execute<{ result: Result }>(sql`
    insert into ${watchRounds} as known (name, started_at) values (${name}, clock_timestamp())
    on conflict (name) do update set started_at = excluded.started_at
    where known.started_at <= clock_timestamp() - make_interval(secs => ${everySeconds})
    returning result`);
  return started?.result ?? null;
}

export async function finishRound(db: Db, name: string, result: Result): Promise<void> {
  await db
    .update(watchRounds)
    .set({ finishedAt: sql`clock_timestamp()`, result })
    .where(eq(watchRounds.name, name));
}

/** The last round; null if there was none. */
export async function readRound(db: Db, name: string): Promise<Round | null> {
  const [found] = await db.select().from(watchRounds).where(eq(watchRounds.name, name));
  return found ?? null;
}
