import { dovecotAdmin } from "#server/gateways/dovecot.ts";
import { defineTask } from "#worker/define-task.ts";

/** Again for those that were just signing in, or when Dovecot could not be asked at once. */
export const endMailSessionsTask = defineTask("end_mail_sessions", async ({ address }) => {
  await dovecotAdmin().kick(address);
});
