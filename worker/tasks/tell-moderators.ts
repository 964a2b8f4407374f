import { notifyModerators } from "#server/core/mail/group-posts/notify-moderators.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Twice tells once: the second finds that the moderators were told a moment ago. */
export const tellModeratorsTask = defineTask("tell_moderators", async ({ group }) => {
  await notifyModerators(db(), group);
});
