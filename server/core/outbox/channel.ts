import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** The Postgres channel (LISTEN/NOTIFY) on which pumps hear that rows were put in the outbox. */
export const OUTBOX_CHANNEL = "outbox";

/**
 * Wakes the pumps when the caller's transaction commits. Without it, rows are found within a second
 * all the same.
 */
export async function announceOutbox(db: Db): Promise<void> {
  await db.execute(sql`select pg_notify(${OUTBOX_CHANNEL}, '')`);
}
