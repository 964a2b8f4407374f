import { deleteOldMessages } from "#server/core/sending/messages/delete-old-messages.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of mail that was carried. Twice at once does no harm: each batch skips what the other holds. */
export const deleteOldMessagesTask = defineTask("delete_old_messages", async () => {
  await deleteOldMessages(db());
});
