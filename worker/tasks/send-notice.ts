import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Idempotent: the ids of the emails are fixed in the payload. */
export const sendNoticeTask = defineTask("send_notice", async (payload) => {
  await sendNotice(db(), payload);
});
