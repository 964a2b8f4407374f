import { deleteOldQuarantined } from "#server/core/mail/quarantine/delete-old-quarantined.ts";
import { deleteOldGreylist } from "#server/core/mail/spam/delete-old-greylist.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of quarantined messages and greylisting data. Safe to run concurrently. */
export const deleteOldQuarantineTask = defineTask("delete_old_quarantine", async () => {
  await deleteOldQuarantined(db());
  await deleteOldGreylist(db());
});
