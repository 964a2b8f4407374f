import { applyRetention, RETENTION } from "#server/core/operations/retention/retention.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

export const applyRetentionTask = defineTask("apply_retention", ({ every }) =>
  applyRetention(db(), RETENTION[every]),
);

/** Jobs of earlier versions that `apply_retention` replaced: they do nothing. */
export const retiredTasks = Object.fromEntries(
  [
    ...["clear_email_bodies", "delete_expired_sessions", "delete_old_idempotency_keys"],
    ...["delete_old_mail_log", "delete_old_messages", "delete_old_quarantine"],
    ...["delete_old_reports", "delete_old_requests", "delete_old_webhook_events"],
  ].map((name) => [name, () => {}]),
);
