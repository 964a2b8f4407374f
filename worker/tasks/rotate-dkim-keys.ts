import { rotateOldKeys } from "#server/core/domains/domains/rotate-dkim-keys.ts";
import { deleteRetiredKeys } from "#server/core/sending/dkim/retired-keys.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** The yearly rotation. Safe to run concurrently: a domain has one next key of each algorithm. */
export const rotateDkimKeysTask = defineTask("rotate_dkim_keys", async () => {
  await rotateOldKeys(db());
  await deleteRetiredKeys(db());
});
