import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

/** Postgres channel on which the pump hears that rows are due. */
export const OUTBOX_CHANNEL = "outbox";

/** NOTIFY takes a lock of the whole cluster at commit, so many acceptances share one. */
const GATHER_MS = 5;

const logger = createLogger("outbox");
let planned = false;

/**
 * Tells the pump to look at the outbox now. Called after the commit that filled it; a call that is
 * lost with its process costs nothing but time, since the pump also looks by itself every second.
 */
export function wakePump(db: Db): void {
  if (planned) return;
  planned = true;
  setTimeout(() => {
    planned = false;
    db.execute(sql`select pg_notify(${OUTBOX_CHANNEL}, '')`).catch((error: unknown) =>
      logger.warn({ err: error }, "the pump could not be woken and will look by itself"),
    );
  }, GATHER_MS);
}
