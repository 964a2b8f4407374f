import { v7 as uuidv7 } from "uuid";

import type { CompanyScope } from "#server/core/shared/context.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** A change to a person's sign-in. */
export type PersonalNotice =
  | "password_changed"
  | "totp_added"
  | "totp_removed"
  | "passkey_added"
  | "passkey_removed"
  | "recovery_codes_replaced"
  /** By an operator. */
  | "all_removed";

/** Why it matters now who reads an admin's mail: we emailed a reset link or an invitation, or the admin got more access. */
export type SignInMailEvent = "reset" | "invited" | "promoted";

/** A change to a mailbox user's sign-in, or to who gets the mail. */
export type MailboxChange =
  Exclude<PersonalNotice, "password_changed"> | "app_password_created" | "forwarding_changed";

/**
 * Marks a notice about who can sign in or who receives mail. Dovecot puts a copy into the inbox before it runs the mailbox's rules,
 * which an intruder may have changed. Removed from mail that anyone else sends.
 */
export const SECURITY_NOTICE_FIELD = "X-Posthouse-Security-Notice";

/** An event that the admins of a company who can act on it are notified about. */
export type Notice =
  | { kind: "webhook_disabled" | "webhook_failing"; webhookId: string }
  /** Group members, identified by `noticedAt`. */
  | { kind: "members_failing"; noticedAt: string }
  | { kind: "ownership_missing" | "ownership_lost"; domainId: string }
  /** Records that were verified are missing. */
  | { kind: "records_missing"; domainId: string; records: string[] }
  /** Mailboxes that are full or nearly full, identified by `noticedAt`. */
  | { kind: "mailboxes_full"; noticedAt: string }
  /** New DKIM keys wait for their records. */
  | { kind: "dkim_rotated"; domainId: string }
  /** `isSpam`: for a message that the spam filter found. */
  | { kind: "sending_held"; mailbox: string; isSpam: boolean }
  /** Sent to the other owners, if others can read the mail of this admin. */
  | { kind: "sign_in_mail_shared"; email: string; event: Exclude<SignInMailEvent, "invited"> }
  /** Sent to the mailbox itself (mailbox-passwords.ts). */
  | { kind: "mailbox_factors_changed"; mailbox: string; what: MailboxChange }
  /** Sent to the person only (people.ts). */
  | { kind: "sign_in_changed"; email: string; what: PersonalNotice };

/**
 * Enqueues a notice to the owners of a company, and other admins who can act on it. Call in the transaction of the event,
 * so that the notice is sent only if it is committed. Each call creates a separate notice.
 */
export async function notifyAdmins(ctx: CompanyScope, notice: Notice): Promise<void> {
  await enqueue(ctx.db, "send_notice", { id: uuidv7(), companyId: ctx.companyId, notice });
}
