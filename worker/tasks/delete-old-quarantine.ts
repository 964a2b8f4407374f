import { deleteOldQuarantined } from "#server/core/mail/quarantine/delete-old-quarantined.ts";
import { deleteOldGreylist } from "#server/core/mail/spam/delete-old-greylist.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of held messages and of what greylisting knows. Twice at once does no harm. */
export const deleteOldQuarantineTask = defineTask("delete_old_quarantine", async () => {
  await deleteOldQuarantined(db());
  await deleteOldGreylist(db());
});
