import { reportFailingWebhooks } from "#server/core/mail/notices/report-failing-webhooks.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Twice at once does no harm: each marks what it reports, and skips what the other holds. */
export const reportFailingWebhooksTask = defineTask("report_failing_webhooks", async () => {
  await reportFailingWebhooks(db());
});
