import { dovecotAdmin } from "#server/gateways/dovecot.ts";
import { defineTask } from "#worker/define-task.ts";

/** Kicks sessions that were just signing in, or all of them if Dovecot was down at the first attempt. */
export const endMailSessionsTask = defineTask("end_mail_sessions", async ({ address }) => {
  await dovecotAdmin().kick(address);
});
