import { sendResetLink } from "#server/core/mail/notices/send-reset-link.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** A second run sends a second link; each works once. */
export const sendResetLinkTask = defineTask("send_reset_link", async ({ email }) => {
  await sendResetLink(db(), email);
});
