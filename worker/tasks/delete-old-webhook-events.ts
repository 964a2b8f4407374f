import { deleteOldEvents } from "#server/core/webhooks/events/delete-old-events.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of webhook events. Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldWebhookEventsTask = defineTask("delete_old_webhook_events", async () => {
  await deleteOldEvents(db());
});
