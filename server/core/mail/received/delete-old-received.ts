import { receivedEmails } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

// Small, because a message can have tens of megabytes.
const BATCH = 50;

/** Deletes emails that were received more than `days` ago. @returns the number of emails deleted */
export function deleteOldReceived(db: Db, days: number): Promise<number> {
  return deleteInBatches(db, receivedEmails, {
    where: isOlderThan(receivedEmails.createdAt, days),
    oldestFirst: receivedEmails.createdAt,
    size: BATCH,
  });
}

/** How many `deleteOldReceived` would delete. */
export const countOldReceived = (db: Db, days: number): Promise<number> =>
  db.$count(receivedEmails, isOlderThan(receivedEmails.createdAt, days));
