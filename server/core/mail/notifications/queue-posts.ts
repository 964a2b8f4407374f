import { noticePosts, type PostedNotice } from "#drizzle/schema/index.ts";
import { deriveId } from "#server/core/shared/derive-id.ts";
import type { Db } from "#server/db/client.ts";
import { enqueueAll } from "#server/jobs/enqueue.ts";

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
          ...{ id: deriveId(noticeId, settingsId), settingsId, content },
        })),
      )
      .onConflictDoNothing({ target: noticePosts.id })
      .returning({ settingsId: noticePosts.settingsId });
    await enqueueAll(tx, "post_notices", queued);
  });
}
