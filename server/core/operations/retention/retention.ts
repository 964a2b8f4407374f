import {
  deleteOldRequestBodies,
  deleteOldRequests,
} from "#server/core/access/request-log/request-log.ts";
import { deleteExpiredSessions } from "#server/core/access/sessions/sessions.ts";
import { deleteOldSignIns } from "#server/core/access/sign-in/throttle.ts";
import { deleteOldContacts } from "#server/core/mail/guard/guard.ts";
import { deleteOldMailLog } from "#server/core/mail/mail-log/mail-log.ts";
import { deleteOldQuarantined } from "#server/core/mail/quarantine/quarantine.ts";
import { deleteOldReceived } from "#server/core/mail/received/received-emails.ts";
import { deleteOldReports } from "#server/core/mail/reports/reports.ts";
import { deleteOldGreylist } from "#server/core/mail/spam/greylist.ts";
import {
  deleteOldImports,
  erasePasswordsOfImports,
} from "#server/core/mailboxes/mailbox-imports/mailbox-imports.ts";
import { eraseOldSecrets } from "#server/core/mailboxes/imports/import-leases.ts";
import { deleteOldItems } from "#server/core/operations/deleted-items/deleted-items.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { clearBodies, deleteOldEmails } from "#server/core/sending/emails/delete-old-emails.ts";
import { deleteOldIdempotencyKeys } from "#server/core/sending/idempotency/idempotency.ts";
import { deleteOldMessages } from "#server/core/sending/messages/messages.ts";
import { deleteExpiredPolicies } from "#server/core/sending/mta-sts/policies.ts";
import { deleteOldSuppressions } from "#server/core/sending/suppressions/suppressions.ts";
import { deleteOldAudit } from "#server/core/shared/audit/delete-audit.ts";
import { deleteOldEvents } from "#server/core/webhooks/events/webhook-events.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

/** The setting's value that keeps everything. */
const FOREVER = 0;

const logger = createLogger("retention");

/**
 * Deletes what is older than the rules and settings allow. Safe to run concurrently.
 *
 * @throws Error that names each rule that failed, after applying the others
 */
export async function applyRetention(db: Db, rules: RetentionRule[]): Promise<void> {
  const settings = await readSettings(db);
  const failures: string[] = [];
  for (const rule of rules)
    try {
      if (rule.days === null) await rule.apply(db);
      else {
        const days = typeof rule.days === "string" ? settings[rule.days] : rule.days;
        if (days !== FOREVER) await rule.apply(db, days);
      }
    } catch (err) {
      logger.error({ err, what: rule.what }, "retention failed");
      failures.push(`${rule.what}: ${err instanceof Error ? err.message : String(err)}`);
    }
  if (failures.length > 0) throw new Error(`Retention failed for ${failures.join("; ")}`);
}

type RetentionSetting =
  | "keep_audit_days"
  | "keep_contacts_days"
  | "keep_deleted_days"
  | "keep_emails_days"
  | "keep_received_days"
  | "keep_suppressions_days";

/** `days` is the retention period, or the setting that holds it (0 keeps rows forever). Null if `apply` or each row determines it. */
export type RetentionRule = { what: string } & (
  | { days: number | RetentionSetting; apply: (db: Db, days: number) => Promise<unknown> }
  | { days: null; apply: (db: Db) => Promise<unknown> }
);

/**
 * Everything that is deleted for its age, except what the code that writes it keeps short: alarms (90 days), posted notices
 * (7), heartbeats, retired DKIM keys (8), unverified domain claims (7), and what is known about slow destinations.
 */
export const RETENTION: Record<"hour" | "night", RetentionRule[]> = {
  hour: [
    { what: "content of emails", days: 3, apply: clearBodies },
    { what: "messages, and earlier their content", days: 30, apply: deleteOldMessages },
    { what: "idempotency keys", days: null, apply: deleteOldIdempotencyKeys },
    { what: "webhook events and attempts", days: 30, apply: deleteOldEvents },
    { what: "API request log", days: 30, apply: deleteOldRequests },
    { what: "bodies of API requests", days: 1, apply: deleteOldRequestBodies },
    { what: "log of the mail listeners", days: 7, apply: deleteOldMailLog },
    // The console states this number too.
    { what: "quarantined messages", days: 30, apply: deleteOldQuarantined },
    // The console states this number too.
    { what: "temporary passwords of imports", days: 1, apply: erasePasswordsOfImports },
    { what: "greylist", days: null, apply: deleteOldGreylist },
  ],
  night: [
    { what: "emails and their history", days: "keep_emails_days", apply: deleteOldEmails },
    { what: "suppressions", days: "keep_suppressions_days", apply: deleteOldSuppressions },
    { what: "audit log", days: "keep_audit_days", apply: deleteOldAudit },
    { what: "contacts of mailboxes", days: "keep_contacts_days", apply: deleteOldContacts },
    { what: "received emails", days: "keep_received_days", apply: deleteOldReceived },
    {
      what: "deleted mailboxes, aliases, groups and domains",
      days: "keep_deleted_days",
      apply: deleteOldItems,
    },
    // Kept for another pass, and for attempts that import nothing.
    { what: "passwords of imports", days: 14, apply: eraseOldSecrets },
    { what: "imports of mailboxes", days: 30, apply: deleteOldImports },
    // Long enough to compare a month with the same month of the year before.
    { what: "DMARC and TLS reports", days: 400, apply: deleteOldReports },
    { what: "cached MTA-STS policies", days: null, apply: deleteExpiredPolicies },
    { what: "sessions and sign-in steps", days: null, apply: deleteExpiredSessions },
    { what: "sign-in attempts and known networks", days: null, apply: deleteOldSignIns },
  ],
};
