import { config } from "#server/config.ts";
import { removeMailStores } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

export const removeMailStoresTask = defineTask("remove_mail_stores", async () => {
  const { roles, mailHost } = config();
  // Mail hosts with names look for what to delete themselves (mail/links).
  if (roles.has("mail") && mailHost === null) await removeMailStores(db());
});
