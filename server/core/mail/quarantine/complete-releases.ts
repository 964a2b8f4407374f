import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * Completes the release of quarantined messages: a message delivered to every mailbox is deleted from
 * quarantine, and one that bounced returns to it for the failed mailboxes. Call it after recording the
 * outcomes, in the same transaction.
 *
 * @param messageIds messages with new outcomes
 */
export async function completeReleases(db: Db, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return;
  const given = sql`array(select value::uuid
    from jsonb_array_elements_text(${JSON.stringify([...new Set(messageIds)])}::jsonb))`;
  // Lock first: if two workers record the last two recipients concurrently, the second must see both outcomes.
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
