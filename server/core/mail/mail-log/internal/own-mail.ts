import { and, eq, type SQL, sql } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { viewableMailboxes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { withoutTag } from "#server/core/shared/addresses/variants-sql.ts";
import { storableText } from "#server/core/shared/text.ts";

/** Restricts a log to a company's mail, and for admins of units to that of the mailboxes they can view. */
export type MailScope = {
  companyId: string;
  callerPrivileges: HeldPrivileges;
  /** Only the mail of this mailbox. */
  mailbox?: string | undefined;
};

/** What the SMTP listeners answered about the company's mail, without failed sign-ins. */
export function isOwnIncoming(scope: MailScope): SQL[] {
  const recipient = sql`lower(l.recipient)`;
  const boxes = selectBoxes(scope);
  return [
    sql`l.kind <> 'sign_in_failed'`,
    ...(boxes
      ? [
          // Rejections have either direction: those of mail apps belong to the sender.
          sql`(l.kind <> 'submitted' and ${isFor(recipient, boxes)}
            or l.kind <> 'received' and ${isFor(sql`lower(l.sender)`, boxes)})`,
        ]
      : []),
  ];
}

/** What was sent from, or delivered to, the company's mailboxes. `p` is the message. */
export function isOwnOutgoing(scope: MailScope): SQL[] {
  const boxes = selectBoxes(scope);
  return boxes ? [sql`(p.mailbox in ${boxes} or ${isFor(sql`lower(l.recipient)`, boxes)})`] : [];
}

/** The mailboxes whose mail is shown; null for all mail of the company. */
function selectBoxes({ companyId, callerPrivileges, mailbox }: MailScope): SQL | null {
  const viewable = viewableMailboxes(callerPrivileges);
  const isAsked =
    mailbox === undefined ? undefined : eq(mailboxes.address, storableText(mailbox.toLowerCase()));
  if (!viewable && !isAsked) return null;
  const where = and(eq(mailboxes.companyId, companyId), viewable, isAsked);
  return sql`(select ${mailboxes.address} from ${mailboxes} where ${where})`;
}

/** Whether an address is that of one of the mailboxes, an alias of it, or either with a tag. */
const isFor = (address: SQL, boxes: SQL): SQL => sql`(
  ${address} in ${boxes} or ${withoutTag(address)} in ${boxes}
  or exists (select from aliases a where a.address in (${address}, ${withoutTag(address)})
    and a.mailbox in ${boxes}))`;
