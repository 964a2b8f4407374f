import { deleteExpiredPolicies } from "#server/core/sending/mta-sts/delete-expired-policies.ts";
import { deleteOldReports } from "#server/core/mail/reports/delete-old-reports.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention of DMARC and TLS reports and of cached MTA-STS policies. Safe to run concurrently. */
export const deleteOldReportsTask = defineTask("delete_old_reports", async () => {
  await deleteOldReports(db());
  await deleteExpiredPolicies(db());
});
