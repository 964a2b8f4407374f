import { removeMailStores } from "#server/core/mailboxes/mailboxes/remove-mail-stores.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

export const removeMailStoresTask = defineTask("remove_mail_stores", async () => {
  await removeMailStores(db());
});
