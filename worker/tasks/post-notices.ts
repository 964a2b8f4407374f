import { noticeHttp } from "#server/core/mail/notifications/post-notice.ts";
import { postNotices } from "#server/core/mail/notifications/post-notices.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Safe to run concurrently: only one run leases the URL. */
export const postNoticesTask = defineTask("post_notices", async ({ settingsId }) => {
  await postNotices(db(), settingsId, noticeHttp());
});
