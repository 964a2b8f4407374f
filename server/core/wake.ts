import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

/** NOTIFY takes a lock of the whole cluster at commit, so many changes share one. */
const GATHER_MS = 5;

const logger = createLogger("wake");

/**
 * A function that tells whoever listens on a Postgres channel to look at its table now. Called after
 * the commit that gave it something to do; a call that is lost with its process costs nothing but
 * time, since the listener also looks by itself.
 */
export function createWake(channel: string): (db: Db) => void {
  let planned = false;
  return (db) => {
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      db.execute(sql`select pg_notify(${channel}, '')`).catch((error: unknown) =>
        logger.warn(
          { err: error, channel },
          "nobody could be woken and they will look by themselves",
        ),
      );
    }, GATHER_MS);
  };
}
