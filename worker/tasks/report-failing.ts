import { reportFailingMembers } from "#server/core/mail/notices/report-failing-members.ts";
import { reportFailingWebhooks } from "#server/core/mail/notices/report-failing-webhooks.ts";
import { reportFullMailboxes } from "#server/core/mail/notices/report-full-mailboxes.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Safe to run concurrently: each run marks what it reports and skips rows locked by the other. */
export const reportFailingMembersTask = defineTask("report_failing_members", async () => {
  await reportFailingMembers(db());
});

/** Safe to run concurrently: each run marks what it reports and skips rows locked by the other. */
export const reportFailingWebhooksTask = defineTask("report_failing_webhooks", async () => {
  await reportFailingWebhooks(db());
});

/** Safe to run concurrently: a company's mailboxes are reported under a lock. */
export const reportFullMailboxesTask = defineTask("report_full_mailboxes", async () => {
  await reportFullMailboxes(db());
});
