import { lt, sql } from "drizzle-orm";

import { mailboxSessions, sessions, signInSteps } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Deletes expired sessions, of the console and of `/account`, and expired sign-in steps. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  for (const table of [sessions, mailboxSessions, signInSteps])
    await db.delete(table).where(lt(table.expiresAt, sql`clock_timestamp()`));
}
