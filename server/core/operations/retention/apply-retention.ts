import { deleteOldContacts } from "#server/core/mail/guard/delete-old-contacts.ts";
import { deleteOldReceived } from "#server/core/mail/received/delete-old-received.ts";
import { deleteOldItems } from "#server/core/operations/deleted-items/delete-old-items.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { deleteOldEmails } from "#server/core/sending/emails/delete-old-emails.ts";
import { deleteOldSuppressions } from "#server/core/sending/suppressions/delete-old-suppressions.ts";
import { deleteOldAudit } from "#server/core/shared/audit/delete-old-audit.ts";
import type { Db } from "#server/db/client.ts";

/** What is kept forever unless an operator sets a number of days. */
const KEPT = {
  keep_emails_days: deleteOldEmails,
  keep_suppressions_days: deleteOldSuppressions,
  keep_audit_days: deleteOldAudit,
  keep_contacts_days: deleteOldContacts,
} as const;

/** The setting's value that keeps everything. */
const FOREVER = 0;

/** Deletes what is older than the settings allow. Safe to run concurrently. */
export async function applyRetention(db: Db): Promise<void> {
  const settings = await readSettings(db);
  for (const [name, deleteOld] of Object.entries(KEPT)) {
    const days = settings[name as keyof typeof KEPT];
    if (days !== FOREVER) await deleteOld(db, days);
  }
  await deleteOldReceived(db, settings.keep_received_days);
  await deleteOldItems(db, settings.keep_deleted_days);
}
