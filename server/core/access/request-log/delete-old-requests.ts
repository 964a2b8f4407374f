import { requestLog } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

/** Deletes request log entries older than `days`. @returns the number of entries deleted */
export function deleteOldRequests(db: Db, days: number): Promise<number> {
  const { createdAt } = requestLog;
  return deleteInBatches(db, requestLog, {
    where: isOlderThan(createdAt, days),
    oldestFirst: createdAt,
  });
}
