import { lt, sql } from "drizzle-orm";

import { mailboxSessions, sessions, signInSteps } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Deletes sessions that nobody can use any more, at the console and at `/account`, and steps of signing in
 * that are over.
 */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  for (const table of [sessions, mailboxSessions, signInSteps])
    await db.delete(table).where(lt(table.expiresAt, sql`clock_timestamp()`));
}
