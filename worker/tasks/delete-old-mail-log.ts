import { deleteOldMailLog } from "#server/core/mail/mail-log/delete-old-mail-log.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of the mail log. Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldMailLogTask = defineTask("delete_old_mail_log", async () => {
  await deleteOldMailLog(db());
});
