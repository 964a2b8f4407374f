import { deleteExpiredSessions } from "#server/core/access/sessions/delete-expired.ts";
import { deleteOldSignIns } from "#server/core/access/sign-in/delete-old.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

export const deleteExpiredSessionsTask = defineTask("delete_expired_sessions", async () => {
  await deleteExpiredSessions(db());
  await deleteOldSignIns(db());
});
