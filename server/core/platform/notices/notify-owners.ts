import { v7 as uuidv7 } from "uuid";

import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** Something that happened to a person's way of signing in. */
export type PersonalNotice =
  | "password_changed"
  | "totp_added"
  | "totp_removed"
  | "passkey_added"
  | "passkey_removed"
  | "recovery_codes_replaced"
  /** By somebody who runs the instance. */
  | "all_removed";

/** Something that a company's owners should hear of although they did not ask. */
export type Notice =
  | { kind: "webhook_disabled" | "webhook_failing"; webhookId: string }
  /** Group members, identified by `noticedAt`. */
  | { kind: "members_failing"; noticedAt: string }
  | { kind: "ownership_missing" | "ownership_lost"; domainId: string }
  /** Told to admins who may reset the mailbox's password as well. */
  | { kind: "sending_held"; mailbox: string }
  /** Told to the person alone (notify-person.ts). */
  | { kind: "sign_in_changed"; email: string; what: PersonalNotice };

/**
 * Has the owners of a company told by email. Called inside the transaction of what they are told of, so
 * that they hear of it exactly when it holds; each call makes a notice of its own.
 */
export async function notifyOwners(
  db: Db,
  { companyId, notice }: { companyId: string; notice: Notice },
): Promise<void> {
  await enqueue(db, "send_notice", { id: uuidv7(), companyId, notice });
}
