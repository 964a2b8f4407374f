import { and, eq, isNull, lt, or, sql } from "drizzle-orm";

import { appPasswords } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Records the use of an app password, at most once a minute.
 *
 * @param usedFor `imap`, `pop3`, `sieve` or `smtp`
 * @param from an IP address
 */
export async function recordAppPasswordUse(
  db: Db,
  id: string,
  { usedFor, from }: { usedFor: string; from: string },
): Promise<void> {
  await db
    .update(appPasswords)
    .set({ lastUsedAt: sql`clock_timestamp()`, lastUsedFor: usedFor, lastUsedFrom: from })
    .where(
      and(
        eq(appPasswords.id, id),
        or(
          isNull(appPasswords.lastUsedAt),
          lt(appPasswords.lastUsedAt, sql`clock_timestamp() - interval '1 minute'`),
        ),
      ),
    );
}
