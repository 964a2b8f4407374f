import { deleteOldReports } from "#server/core/reports/delete-old-reports.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of DMARC and TLS reports. Twice at once does no harm: each batch skips what the other holds. */
export const deleteOldReportsTask = defineTask("delete_old_reports", async () => {
  await deleteOldReports(db());
});
