import { requestLog } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

const KEPT_DAYS = 30;

/** Deletes request log entries older than 30 days. @returns the number of entries deleted */
export function deleteOldRequests(db: Db): Promise<number> {
  const { createdAt } = requestLog;
  return deleteInBatches(db, requestLog, {
    where: isOlderThan(createdAt, KEPT_DAYS),
    oldestFirst: createdAt,
  });
}
