import { deleteOldEvents } from "#server/core/webhooks/events/delete-old-events.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of webhook events. Twice at once does no harm: each batch skips what the other holds. */
export const deleteOldWebhookEventsTask = defineTask("delete_old_webhook_events", async () => {
  await deleteOldEvents(db());
});
