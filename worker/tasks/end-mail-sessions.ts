import { kickMailApps } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Kicks sessions that were just signing in, or all of them if Dovecot was down at the first attempt. */
export const endMailSessionsTask = defineTask("end_mail_sessions", async ({ address }) => {
  await kickMailApps(db(), address);
});
