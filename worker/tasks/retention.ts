import { config } from "#server/config.ts";
import { deleteOldRequests } from "#server/core/access/request-log/delete-old-requests.ts";
import { deleteExpiredSessions } from "#server/core/access/sessions/delete-expired.ts";
import { deleteOldSignIns } from "#server/core/access/sign-in/delete-old.ts";
import { deleteOldMailLog } from "#server/core/mail/mail-log/delete-old-mail-log.ts";
import { deleteOldQuarantined } from "#server/core/mail/quarantine/delete-old-quarantined.ts";
import { deleteOldReports } from "#server/core/mail/reports/delete-old-reports.ts";
import { deleteOldGreylist } from "#server/core/mail/spam/delete-old-greylist.ts";
import { applyRetention } from "#server/core/operations/retention/apply-retention.ts";
import { eraseOldSecrets } from "#server/core/mailboxes/imports/erase-old-secrets.ts";
import { removeMailStores } from "#server/core/mailboxes/mailboxes/remove-mail-stores.ts";
import { clearBodies } from "#server/core/sending/emails/clear-bodies.ts";
import { deleteOldIdempotencyKeys } from "#server/core/sending/idempotency/delete-old-keys.ts";
import { deleteOldMessages } from "#server/core/sending/messages/delete-old-messages.ts";
import { deleteExpiredPolicies } from "#server/core/sending/mta-sts/delete-expired-policies.ts";
import { deleteOldEvents } from "#server/core/webhooks/events/delete-old-events.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";

/** Retention that operators set (emails, audit log, suppressions, contacts), and of passwords of imports. Safe to run concurrently. */
export const applyRetentionTask = defineTask("apply_retention", async () => {
  await applyRetention(db());
  await eraseOldSecrets(db());
});

/** Retention of email content. Safe to run concurrently: each batch skips rows locked by the other. */
export const clearEmailBodies = defineTask("clear_email_bodies", async () => {
  await clearBodies(db());
});

export const deleteExpiredSessionsTask = defineTask("delete_expired_sessions", async () => {
  await deleteExpiredSessions(db());
  await deleteOldSignIns(db());
});

/** Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldIdempotencyKeysTask = defineTask("delete_old_idempotency_keys", async () => {
  await deleteOldIdempotencyKeys(db());
});

/** Retention of the mail log. Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldMailLogTask = defineTask("delete_old_mail_log", async () => {
  await deleteOldMailLog(db());
});

/** Retention of delivered messages. Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldMessagesTask = defineTask("delete_old_messages", async () => {
  await deleteOldMessages(db());
});

/** Retention of quarantined messages and greylisting data. Safe to run concurrently. */
export const deleteOldQuarantineTask = defineTask("delete_old_quarantine", async () => {
  await deleteOldQuarantined(db());
  await deleteOldGreylist(db());
});

/** Retention of DMARC and TLS reports and of cached MTA-STS policies. Safe to run concurrently. */
export const deleteOldReportsTask = defineTask("delete_old_reports", async () => {
  await deleteOldReports(db());
  await deleteExpiredPolicies(db());
});

/** Retention of the request log. Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldRequestsTask = defineTask("delete_old_requests", async () => {
  await deleteOldRequests(db());
});

/** Retention of webhook events. Safe to run concurrently: each batch skips rows locked by the other. */
export const deleteOldWebhookEventsTask = defineTask("delete_old_webhook_events", async () => {
  await deleteOldEvents(db());
});

export const removeMailStoresTask = defineTask("remove_mail_stores", async () => {
  const { roles, mailHost } = config();
  // Mail hosts with names look for what to delete themselves (mail/links).
  if (roles.has("mail") && mailHost === null) await removeMailStores(db());
});
