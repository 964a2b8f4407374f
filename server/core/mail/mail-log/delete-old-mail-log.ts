import { mailLog } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

const KEPT_DAYS = 7;

/** Deletes entries older than seven days. @returns the number of entries deleted */
export function deleteOldMailLog(db: Db): Promise<number> {
  const { createdAt } = mailLog;
  return deleteInBatches(db, mailLog, {
    where: isOlderThan(createdAt, KEPT_DAYS),
    oldestFirst: createdAt,
  });
}
