import { lt, sql } from "drizzle-orm";

import { sessions } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Deletes sessions that nobody can use any more. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`clock_timestamp()`));
}
