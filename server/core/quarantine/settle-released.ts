import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * Ends the release of quarantined messages whose delivery is complete: a message that every mailbox got
 * leaves the quarantine, and one that bounced returns to it for the mailboxes that did not get it. Call it
 * in the transaction that records the outcomes, after them.
 *
 * @param messageIds messages with new outcomes
 */
export async function settleReleased(db: Db, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return;
  const given = sql`array(select value::uuid
    from jsonb_array_elements_text(${JSON.stringify([...new Set(messageIds)])}::jsonb))`;
  // Lock first: of two workers that record the last two recipients, the second one sees both.
  const locked = await db.execute<{ id: string }>(sql`
    select id from quarantine where released_as = any(${given}) order by id for update`);
  if (locked.length === 0) return;
  await db.execute(sql`
    with released as materialized (
      select q.id, array_agg(r.recipient order by r.id) filter (where r.state <> 'delivered') as missing,
        (array_agg(r.reply order by r.id) filter (where r.state <> 'delivered'))[1] as reply
      from quarantine q join message_recipients r on r.message_id = q.released_as
      where q.released_as = any(${given})
      group by q.id having bool_and(r.state not in ('queued', 'held'))
    ), returned as (
      update quarantine q set released_as = null, recipients = released.missing,
        findings = q.findings || ('Not delivered after its release: ' || coalesce(released.reply, 'no reply'))
      from released where q.id = released.id and released.missing is not null
    )
    delete from quarantine q using released where q.id = released.id and released.missing is null`);
}
