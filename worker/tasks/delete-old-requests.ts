import { deleteOldRequests } from "#server/core/access/request-log/delete-old-requests.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of the request log. Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldRequestsTask = defineTask("delete_old_requests", async () => {
  await deleteOldRequests(db());
});
