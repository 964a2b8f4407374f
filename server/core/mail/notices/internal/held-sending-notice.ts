import { sql } from "drizzle-orm";

import type { CompanyScope } from "#server/core/shared/context.ts";
import { formatUtc } from "#server/core/shared/format-utc.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";

import type { NoticeContent } from "./notice-text.ts";

/** The current state of a mailbox whose sending is on hold. */
type HeldSending = {
  address: string;
  orgUnitId: number;
  since: string;
  /** Messages on hold. */
  messages: number;
  recipients: number;
};

/** Null once sending is released or the mailbox is deleted. */
export async function readHeldSending(
  ctx: CompanyScope,
  mailbox: string,
): Promise<HeldSending | null> {
  const [held] = await ctx.db.execute<HeldSending>(sql`
    select b.address, b.org_unit_id as "orgUnitId", b.sending_held_at as since,
      count(distinct r.message_id)::int as messages, count(r.id)::int as recipients
    from mailboxes b
      left join messages m on m.mailbox = b.address and m.company_id = b.company_id
      left join message_recipients r on r.message_id = m.id and r.state = 'held'
    where b.address = ${mailbox} and b.company_id = ${ctx.companyId}
      and b.sending_held_at is not null
    group by b.address`);
  return held ?? null;
}

export function heldSendingNotice(
  { address, since, messages, recipients }: HeldSending,
  { baseUrl, companyName, isSpam }: { baseUrl: string; companyName: string; isSpam: boolean },
): NoticeContent {
  const cause = isSpam
    ? "sent a message that the spam filter found to be spam or a virus"
    : "suddenly sent mail to many new recipients from a network it hadn’t used before";
  return {
    subject: `Mail from ${address} is on hold: the mailbox may be compromised`,
    paragraphs: [
      `The mailbox ${address} at ${companyName} ${cause}. Its password may have been stolen. Since ${formatUtc(since)}, its mail to recipients outside the company has been on hold.`,
      `On hold: ${pluralize(messages, "message")} to ${pluralize(recipients, "recipient")}. Incoming mail and mail within the company aren’t affected.`,
      "Ask the mailbox user whether they sent these messages. If they did, release them. If they didn’t, secure the mailbox: this resets its password, ends all sessions, revokes its app passwords, and deletes the messages on hold.",
    ],
    link: { label: "Review mail on hold", url: `${baseUrl}/console/on-hold` },
  };
}
