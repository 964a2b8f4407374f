import { clearBodies } from "#server/core/sending/emails/clear-bodies.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of email content. Safe to run concurrently: each batch skips rows locked by the other. */
export const clearEmailBodies = defineTask("clear_email_bodies", async () => {
  await clearBodies(db());
});
