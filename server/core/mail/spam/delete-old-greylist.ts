import { sql } from "drizzle-orm";

import { greylist } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

import { GREYLIST_FORGOTTEN_DAYS, UNPROVEN_DAYS } from "./greylist-times.ts";

/** Deletes expired greylist entries. @returns the number of entries deleted */
export function deleteOldGreylist(db: Db): Promise<number> {
  const { lastSeenAt, passedAt } = greylist;
  return deleteInBatches(db, greylist, {
    where: sql`${isOlderThan(lastSeenAt, UNPROVEN_DAYS)}
      and (${passedAt} is null or ${isOlderThan(lastSeenAt, GREYLIST_FORGOTTEN_DAYS)})`,
    oldestFirst: lastSeenAt,
  });
}
