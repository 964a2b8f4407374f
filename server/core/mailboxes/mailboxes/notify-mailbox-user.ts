import { v7 as uuidv7 } from "uuid";

import type { MailboxChange } from "#server/core/platform/notices/notify-admins.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/**
 * Enqueues an email to a mailbox about a change to who can sign in or gets the mail, so that its user notices one they didn't make.
 * Call in the transaction of the change.
 */
export async function notifyMailboxUser(
  { db, companyId }: CompanyScope,
  { mailbox, what }: { mailbox: string; what: MailboxChange },
): Promise<void> {
  const notice = { kind: "mailbox_factors_changed", mailbox, what } as const;
  await enqueue(db, "send_notice", { id: uuidv7(), companyId, notice });
}
