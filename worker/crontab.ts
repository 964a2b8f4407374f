import { type CronItem, type ParsedCronItem, parseCronItems } from "graphile-worker";

import { type JobName, jobs } from "#server/jobs/catalogue.ts";

/** Replaces the waiting retry of a failed run. Without it, each run of a rule that always fails would leave another one. */
const retentionKey = (every: "hour" | "night") => ({
  jobKey: jobs.apply_retention.key({ every }),
});

/** Periodic jobs, in UTC. One worker runs each of them. */
const SCHEDULE: (CronItem & { task: JobName })[] = [
  {
    task: "apply_retention",
    match: "10 2 * * *",
    payload: { every: "night" },
    options: retentionKey("night"),
  },
  {
    task: "apply_retention",
    match: "17 * * * *",
    payload: { every: "hour" },
    options: retentionKey("hour"),
    // Each line needs one of its own.
    identifier: "apply_retention:hour",
  },
  { task: "back_up", match: "*/10 * * * *" },
  { task: "expire_domain_claims", match: "8 * * * *" },
  { task: "remove_mail_stores", match: "33 * * * *" },
  { task: "report_failing_members", match: "12 * * * *" },
  { task: "report_failing_webhooks", match: "*/5 * * * *" },
  { task: "report_full_mailboxes", match: "*/15 * * * *" },
  { task: "rotate_dkim_keys", match: "25 5 * * *" },
  { task: "seal_audit", match: "* * * * *" },
  { task: "send_digests", match: "6 * * * *" },
  { task: "send_reports", match: "37 * * * *" },
  { task: "store_changes", match: "* * * * *" },
];

export const crontab: ParsedCronItem[] = parseCronItems(SCHEDULE);
