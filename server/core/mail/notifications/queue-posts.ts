import { createHash } from "node:crypto";

import { v7 as uuidv7 } from "uuid";

import { noticePosts, type PostedNotice } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { enqueueAll } from "#server/jobs/enqueue.ts";

/** Hexadecimal digits of a UUIDv7's timestamp. */
const TIME_DIGITS = 12;

/**
 * Queues a notice for the URLs of admins or operators, once each, however often it is called.
 *
 * @param noticeId UUIDv7
 * @param settingsIds whose URLs
 */
export async function queuePosts(
  db: Db,
  {
    noticeId,
    settingsIds,
    content,
  }: { noticeId: string; settingsIds: string[]; content: PostedNotice },
): Promise<void> {
  if (settingsIds.length === 0) return;
  await db.transaction(async (tx) => {
    const queued = await tx
      .insert(noticePosts)
      .values(
        settingsIds.map((settingsId) => ({
          ...{ id: derivedId(noticeId, settingsId), settingsId, content },
        })),
      )
      .onConflictDoNothing({ target: noticePosts.id })
      .returning({ settingsId: noticePosts.settingsId });
    await enqueueAll(tx, "post_notices", queued);
  });
}

/** The id of a notice for one reader, a UUIDv7: the same each time, which prevents duplicates. */
export function derivedId(noticeId: string, reader: string): string {
  const msecs = Number.parseInt(noticeId.replaceAll("-", "").slice(0, TIME_DIGITS), 16);
  const random = createHash("sha256").update(`${noticeId} ${reader}`).digest().subarray(0, 16);
  return uuidv7({ msecs, random });
}
