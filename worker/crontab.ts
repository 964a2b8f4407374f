import { type ParsedCronItem, parseCronItems } from "graphile-worker";

import type { JobName } from "#server/jobs/catalogue.ts";

/** Periodic jobs, in UTC. One worker runs each of them. */
const SCHEDULE: { task: JobName; match: string }[] = [
  { task: "apply_retention", match: "10 2 * * *" },
  { task: "back_up", match: "*/10 * * * *" },
  { task: "clear_email_bodies", match: "17 * * * *" },
  { task: "delete_expired_sessions", match: "40 3 * * *" },
  { task: "delete_old_idempotency_keys", match: "23 * * * *" },
  { task: "expire_domain_claims", match: "8 * * * *" },
  { task: "delete_old_messages", match: "32 * * * *" },
  { task: "delete_old_mail_log", match: "52 * * * *" },
  { task: "delete_old_quarantine", match: "33 * * * *" },
  { task: "delete_old_reports", match: "20 4 * * *" },
  { task: "delete_old_requests", match: "47 * * * *" },
  { task: "delete_old_webhook_events", match: "7 * * * *" },
  { task: "remove_mail_stores", match: "33 * * * *" },
  { task: "report_failing_members", match: "12 * * * *" },
  { task: "report_failing_webhooks", match: "*/5 * * * *" },
  { task: "report_full_mailboxes", match: "*/15 * * * *" },
  { task: "rotate_dkim_keys", match: "25 5 * * *" },
  { task: "seal_audit", match: "* * * * *" },
  { task: "send_digests", match: "6 * * * *" },
  { task: "send_reports", match: "37 * * * *" },
  { task: "store_changes", match: "* * * * *" },
  { task: "verify_audit", match: "50 4 * * *" },
];

export const crontab: ParsedCronItem[] = parseCronItems(SCHEDULE);
