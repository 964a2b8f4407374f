import { sql } from "drizzle-orm";

import { quarantine } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

// Small, because a message can have tens of megabytes.
const BATCH = 50;

/** Deletes messages that have been in quarantine for `days`. @returns the number of messages deleted */
export function deleteOldQuarantined(db: Db, days: number): Promise<number> {
  const { createdAt, releasedAs } = quarantine;
  return deleteInBatches(db, quarantine, {
    where: sql`${isOlderThan(createdAt, days)} and ${releasedAs} is null`,
    oldestFirst: createdAt,
    size: BATCH,
  });
}
