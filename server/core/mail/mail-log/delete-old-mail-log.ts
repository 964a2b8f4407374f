import { mailLog } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

/** Deletes entries older than `days`. @returns the number of entries deleted */
export function deleteOldMailLog(db: Db, days: number): Promise<number> {
  const { createdAt } = mailLog;
  return deleteInBatches(db, mailLog, {
    where: isOlderThan(createdAt, days),
    oldestFirst: createdAt,
  });
}
