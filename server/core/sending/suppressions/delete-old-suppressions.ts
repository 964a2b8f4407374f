import { sql } from "drizzle-orm";

import { suppressions } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan, oldestId } from "#server/db/delete-in-batches.ts";

/**
 * Imported ones, which have no email and the date of the other provider, count from the import: their ID, a UUIDv7, says when it
 * was.
 */
function isOld(days: number) {
  const { id, createdAt, origin, sourceId } = suppressions;
  return sql`${origin} = 'bounce' and ${isOlderThan(createdAt, days)}
    and (${sourceId} is not null or ${id} < ${oldestId(days)})`;
}

/** Counts what `deleteOldSuppressions` would delete. */
export const countOldSuppressions = (db: Db, days: number): Promise<number> =>
  db.$count(suppressions, isOld(days));

/**
 * Deletes suppressions for bounces that are older than `days`, so that the addresses are tried again. The others
 * stay.
 *
 * @returns the number of suppressions deleted
 */
export function deleteOldSuppressions(db: Db, days: number): Promise<number> {
  return deleteInBatches(db, suppressions, { where: isOld(days) });
}
