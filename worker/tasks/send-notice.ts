import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Twice sends once: the ids of its emails are known before. */
export const sendNoticeTask = defineTask("send_notice", async (payload) => {
  await sendNotice(db(), payload);
});
