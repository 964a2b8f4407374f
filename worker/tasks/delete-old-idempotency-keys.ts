import { deleteOldIdempotencyKeys } from "#server/core/sending/idempotency/delete-old-keys.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Twice at once does no harm: each batch skips what the other holds. */
export const deleteOldIdempotencyKeysTask = defineTask("delete_old_idempotency_keys", async () => {
  await deleteOldIdempotencyKeys(db());
});
