import { reportFailingMembers } from "#server/core/mail/notices/report-failing-members.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Safe to run concurrently: each run marks what it reports and skips rows locked by the other. */
export const reportFailingMembersTask = defineTask("report_failing_members", async () => {
  await reportFailingMembers(db());
});
