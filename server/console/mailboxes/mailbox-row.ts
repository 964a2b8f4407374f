import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ShownMailbox } from "#server/core/mailboxes/shown-mailbox.ts";

/** A mailbox as lists show it. Its id is its address. */
export const MailboxRow = z.object({
  id: z.string(),
  name: z.string(),
  active: z.boolean().describe("False while it is suspended"),
  sending_held: z.boolean().describe("What it sends waits for an admin"),
  force_password_change: z.boolean(),
  quota_mb: z.int(),
  used_bytes: z.int(),
  messages: z.int(),
  last_sign_in_at: z.string().nullable().describe("With a mail app"),
});

export const MailboxPath = z.object({ email: z.string() });

export function mailboxRow(mailbox: ShownMailbox): z.input<typeof MailboxRow> {
  const { address: id, name, lastSignInAt } = mailbox;
  return {
    ...{ id, name },
    active: mailbox.suspendedAt === null,
    sending_held: mailbox.sendingHeldAt !== null,
    force_password_change: mailbox.forcePasswordChange,
    quota_mb: mailbox.quotaMb,
    used_bytes: mailbox.usedBytes,
    messages: mailbox.messages,
    last_sign_in_at: lastSignInAt && consoleTimestamp(lastSignInAt),
  };
}
