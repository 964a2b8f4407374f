import { reportFailingMembers } from "#server/core/notices/report-failing-members.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Twice at once does no harm: each marks what it reports, and skips what the other holds. */
export const reportFailingMembersTask = defineTask("report_failing_members", async () => {
  await reportFailingMembers(db());
});
