import { webhookEvents } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

const BATCH = 500;

/**
 * Deletes webhook events older than `days` with their attempts, including pending ones.
 *
 * @returns the number of events deleted
 */
export function deleteOldEvents(db: Db, days: number): Promise<number> {
  const { createdAt } = webhookEvents;
  return deleteInBatches(db, webhookEvents, {
    where: isOlderThan(createdAt, days),
    oldestFirst: createdAt,
    size: BATCH,
  });
}
