import { and, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";

import { type DkimKey, dkimKeys } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** IDs of keys whose records were found, and of those that disappeared. */
type SeenKeys = { published: string[]; gone: string[] };

/**
 * Records which of a domain's keys are published. A next key that is becomes active, and its predecessor retires.
 * Runs in the caller's transaction, under the lock of the domain's row.
 *
 * @returns the keys that became active
 */
export async function markKeysSeen(
  db: Db,
  domainId: string,
  { published, gone }: SeenKeys,
): Promise<DkimKey[]> {
  const ofDomain = eq(dkimKeys.domainId, domainId);
  if (gone.length > 0)
    await db
      .update(dkimKeys)
      .set({ seenAt: null })
      .where(and(ofDomain, inArray(dkimKeys.id, gone), isNotNull(dkimKeys.seenAt)));
  if (published.length === 0) return [];
  const seen = await db
    .update(dkimKeys)
    .set({ seenAt: sql`clock_timestamp()` })
    .where(and(ofDomain, inArray(dkimKeys.id, published), isNull(dkimKeys.seenAt)))
    .returning();
  const next = seen.filter(({ state }) => state === "next");
  for (const { id, algorithm } of next) {
    await db
      .update(dkimKeys)
      .set({ state: "retired", retiredAt: sql`clock_timestamp()` })
      .where(and(ofDomain, eq(dkimKeys.algorithm, algorithm), eq(dkimKeys.state, "active")));
    await db.update(dkimKeys).set({ state: "active" }).where(eq(dkimKeys.id, id));
  }
  return next;
}
