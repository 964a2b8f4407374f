import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ShownMailbox } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";

/** The ID is the address. `may` is what the signed-in admin can do. */
export const MailboxRow = z.object({
  id: z.string(),
  name: z.string(),
  active: z.boolean().describe("False while it is suspended"),
  sending_held: z.boolean().describe("Outgoing mail is on hold"),
  force_password_change: z.boolean(),
  password_change_due: z.boolean().describe("Never if passwords aren't accepted"),
  accepts_password: z.boolean().describe("False if single sign-on is required"),
  quota_mb: z.int(),
  used_bytes: z.int(),
  messages: z.int(),
  last_sign_in_at: z.string().nullable().describe("With a mail app"),
  org_unit: z.object({ id: z.int(), name: z.string() }),
  may: z.object({ update: z.boolean(), suspend: z.boolean(), reset_password: z.boolean() }),
});

export const MailboxPath = z.object({ email: z.string() });

export function mailboxRow(
  callerPrivileges: HeldPrivileges,
  mailbox: ShownMailbox,
): z.input<typeof MailboxRow> {
  const { address: id, name, lastSignInAt, orgUnit } = mailbox;
  return {
    ...{ id, name },
    active: mailbox.suspendedAt === null,
    sending_held: mailbox.sendingHeldAt !== null,
    force_password_change: mailbox.forcePasswordChange,
    password_change_due: mailbox.isPasswordChangeDue,
    accepts_password: mailbox.acceptsPassword,
    quota_mb: mailbox.quotaMb,
    used_bytes: mailbox.usedBytes,
    messages: mailbox.messages,
    last_sign_in_at: lastSignInAt && consoleTimestamp(lastSignInAt),
    org_unit: orgUnit,
    may: {
      update: hasPrivilegeIn(callerPrivileges, "update_users", orgUnit.id),
      suspend: hasPrivilegeIn(callerPrivileges, "suspend_users", orgUnit.id),
      reset_password: hasPrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnit.id),
    },
  };
}
