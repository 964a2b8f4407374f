import { sql } from "drizzle-orm";

import { quarantine } from "#drizzle/schema/index.ts";
import { expirePosts } from "#server/core/mail/group-posts/expire-posts.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

// Small, because a message can have tens of megabytes.
const BATCH = 50;

/** Deletes messages that have been in quarantine for `days`. @returns the number of messages deleted */
export async function deleteOldQuarantined(db: Db, days: number): Promise<number> {
  const { createdAt, releasedAs, reason } = quarantine;
  const posts = await expirePosts(db, days);
  const deleted = await deleteInBatches(db, quarantine, {
    where: sql`${isOlderThan(createdAt, days)} and ${releasedAs} is null and ${reason} <> 'moderation'`,
    oldestFirst: createdAt,
    size: BATCH,
  });
  return posts + deleted;
}
