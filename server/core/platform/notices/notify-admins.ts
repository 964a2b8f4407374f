import { v7 as uuidv7 } from "uuid";

import type { CompanyScope } from "#server/core/shared/context.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";
import { enqueueAll } from "#server/jobs/enqueue.ts";

/** An event that the admins of a company who can act on it are notified about, or a person about their own sign-in. */
export type Notice = Exclude<
  JobPayload<"send_notice">["notice"],
  { kind: "dns_records" | "forward_requested" | "password_link" | "invitation" }
>;

/** A change to a person's sign-in. */
export type PersonalNotice = Extract<Notice, { kind: "sign_in_changed" }>["what"];

/** A change to a mailbox user's sign-in, or to who gets the mail. */
export type MailboxNotice = Extract<Notice, { kind: "mailbox_factors_changed" }>["what"];

/** Why it matters now who reads an admin's mail: we emailed a reset link or an invitation, or the admin got more access. */
export type SignInMailEvent = "reset" | "invited" | "promoted";

/**
 * Marks a notice about who can sign in or who receives mail. Dovecot puts a copy into the inbox before it runs the mailbox's rules,
 * which an intruder may have changed. Removed from mail that anyone else sends.
 */
export const SECURITY_NOTICE_FIELD = "X-Posthouse-Security-Notice";

/**
 * Enqueues notices to the owners of a company, and other admins who can act on them. Call in the transaction of the event,
 * so that they are sent only if it is committed.
 */
export async function notifyAdmins(
  { db, companyId }: CompanyScope,
  ...notices: Notice[]
): Promise<void> {
  const payloads = notices.map((notice) => ({ id: uuidv7(), companyId, notice }));
  await enqueueAll(db, "send_notice", payloads);
}
