import { setTimeout as sleep } from "node:timers/promises";

import { is, sql } from "drizzle-orm";
import { PgTransaction } from "drizzle-orm/pg-core";

import type { Connection, Db } from "#server/db/client.ts";

/**
 * Calls `wake` at each notification of a Postgres channel, and whenever a new connection listens to it, because notifications
 * may have been lost before. Resolves once it listens.
 */
export async function onWake(
  sql: Connection["sql"],
  channel: string,
  wake: () => void,
): Promise<void> {
  await sql.listen(channel, wake, wake);
}

/** NOTIFY takes a lock of the whole cluster at commit, so many changes share one. */
const GATHER_MS = 5;

const pending = new Set<Promise<unknown>>();

/** Resolves when every notification asked for so far has been sent, for commands that disconnect afterwards. */
export async function wakesSent(): Promise<void> {
  await Promise.all(pending);
}

/**
 * Returns a function that notifies the listeners of a Postgres channel to poll their table now. Call it
 * with the pool, after the commit. Listeners also poll on their own, so a lost notification costs only time.
 *
 * @throws Error for a transaction's handle, which is no longer usable when the notification is sent
 */
export function createWake(channel: string): (db: Db) => void {
  let planned = false;
  return (db) => {
    if (is(db, PgTransaction))
      throw new Error("Notify with the pool after the commit, not with a transaction");
    if (planned) return;
    planned = true;
    const sent = sleep(GATHER_MS)
      .then(() => {
        planned = false;
        return db.execute(sql`select pg_notify(${channel}, '')`);
      })
      .catch(async (error: unknown) => {
        // Commands load this file, and need no logger.
        const { createLogger } = await import("#server/processes/logger.ts");
        createLogger("wake").warn(
          { err: error, channel },
          "could not notify listeners; they will find the work when they next poll",
        );
      })
      .finally(() => pending.delete(sent));
    pending.add(sent);
  };
}
