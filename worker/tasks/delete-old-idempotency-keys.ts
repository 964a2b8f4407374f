import { deleteOldIdempotencyKeys } from "#server/core/sending/idempotency/delete-old-keys.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldIdempotencyKeysTask = defineTask("delete_old_idempotency_keys", async () => {
  await deleteOldIdempotencyKeys(db());
});
