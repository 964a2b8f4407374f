import { notifyModerators } from "#server/core/mail/group-posts/notify-moderators.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Idempotent: a second run finds that the moderators were just notified. */
export const notifyModeratorsTask = defineTask("tell_moderators", async ({ group }) => {
  await notifyModerators(db(), group);
});
