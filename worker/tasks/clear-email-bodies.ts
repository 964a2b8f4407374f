import { clearBodies } from "#server/core/sending/emails/clear-bodies.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of what emails said. Twice at once does no harm: each batch skips what the other holds. */
export const clearEmailBodies = defineTask("clear_email_bodies", async () => {
  await clearBodies(db());
});
