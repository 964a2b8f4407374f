import { sendResetLink } from "#server/core/mail/notices/send-reset-link.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Twice sends two links, each of which works once. */
export const sendResetLinkTask = defineTask("send_reset_link", async ({ email }) => {
  await sendResetLink(db(), email);
});
