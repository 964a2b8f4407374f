import { deleteOldMessages } from "#server/core/sending/messages/delete-old-messages.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of delivered messages. Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldMessagesTask = defineTask("delete_old_messages", async () => {
  await deleteOldMessages(db());
});
