import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** A mailbox whose sending is held, as it is now. */
export type HeldSending = {
  address: string;
  orgUnitId: number;
  since: string;
  /** Messages and their recipients that wait. */
  messages: number;
  recipients: number;
};

/** What a notice tells of; null when it is over, or the mailbox is deleted. */
export async function readHeldSending(
  db: Db,
  companyId: string,
  mailbox: string,
): Promise<HeldSending | null> {
  const [held] = await db.execute<HeldSending>(sql`
    select b.address, b.org_unit_id as "orgUnitId", b.sending_held_at as since,
      count(distinct r.message_id)::int as messages, count(r.id)::int as recipients
    from mailboxes b
      left join messages m on m.mailbox = b.address and m.company_id = b.company_id
      left join message_recipients r on r.message_id = m.id and r.state = 'held'
    where b.address = ${mailbox} and b.company_id = ${companyId}
      and b.sending_held_at is not null
    group by b.address`);
  return held ?? null;
}
