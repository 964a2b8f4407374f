import { sql } from "drizzle-orm";

import type { MessageRecipient } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** A recipient without a consistent outcome. `recipient` is null if its row is missing. */
type UnaccountedRecipient = { messageId: string; recipient: string | null; why: string };

export type MailLedger = Record<MessageRecipient["state"], number> & {
  /** Recipients of all stored messages: the sum of the states and `unaccounted`. */
  accepted: number;
  unaccounted: number;
  /** The first unaccounted recipients. */
  examples: UnaccountedRecipient[];
};

/** The reply recorded for mail that an operator dropped from the queue. */
export const DROPPED = "The operator of the mail server put this message on hold and dropped it";

const EXAMPLES_MAX = 20;

type Counts = Partial<Record<MessageRecipient["state"] | "unaccounted", number>>;

/**
 * Accounts for every recipient of every accepted message, as `auditLedger` does for emails: each has a row in one
 * state, queued rows have their message, failed forwards were returned to their mailbox, and posts that reached no
 * member to the group's moderators or owners. One statement, for a consistent snapshot.
 */
export async function auditMail(db: Db): Promise<MailLedger> {
  const [row] = await db.execute<{
    counts: Counts | null;
    examples: UnaccountedRecipient[] | null;
  }>(
    sql`
    with posts_without_reader as materialized (
      select m.distribution_id as id
      from messages m join message_recipients r on r.message_id = m.id
      where m.distribution_id is not null
        and exists (select from groups g where g.address = m.group_address)
      group by 1 having bool_and(r.state in ('bounced', 'dropped'))
    ), lost_reports as materialized (
      select m.id from messages m join message_recipients r on r.message_id = m.id
      where m.origin = 'report' group by 1 having bool_and(r.state in ('bounced', 'dropped'))
        -- The audit log has these.
        and not bool_or(coalesce(r.reply = ${DROPPED}, false))
    ), judged as materialized (
      select r.message_id, r.recipient, r.state::text as state, 1 as number, ${PROBLEM} as why
      from message_recipients r join messages m on m.id = r.message_id
        left join message_contents c on c.message_id = r.message_id
    ), counted as (
      select message_id, count(*) as number from message_recipients group by 1
    ), lost as (
      select m.id as message_id, null::text as recipient, null as state,
        abs(m.recipient_count - coalesce(number, 0)) as number,
        'accepted for ' || m.recipient_count || ' recipients, but has '
          || coalesce(number, 0) as why
      from messages m left join counted on counted.message_id = m.id
      where m.recipient_count <> coalesce(number, 0)
    ), everybody as (
      select * from judged union all select * from lost
    )
    select
      (select jsonb_object_agg(state, number) from (
        select case when why is null then state else 'unaccounted' end as state,
          sum(number)::int as number
        from everybody group by 1) sums) as counts,
      (select jsonb_agg(jsonb_build_object('messageId', message_id, 'recipient', recipient, 'why', why))
        from (select * from everybody where why is not null order by message_id, recipient
          limit ${EXAMPLES_MAX}) doubtful) as examples`,
  );
  return toLedger(row!.counts ?? {}, row!.examples ?? []);
}

/** Nothing can be returned to a deleted mailbox. */
const UNDELIVERED = `r.state in ('bounced', 'dropped') and case m.origin
  when 'forward' then exists (select from mailboxes b where b.address = m.mailbox)
  when 'group' then m.distribution_id in (select id from posts_without_reader)
  else false end`;

const PROBLEM = sql.raw(`case
  when r.state in ('queued', 'held') and c.message_id is null then 'queued, but its message is missing'
  when r.state in ('queued', 'held') and r.settled_at is not null then 'queued, but has a completion time'
  when r.state not in ('queued', 'held') and r.settled_at is null then 'has no completion time'
  when r.state <> 'queued' and r.lease_owner is not null then r.state || ', but also being delivered'
  when ${UNDELIVERED} and r.report_id is null then 'undelivered and not returned'
  when ${UNDELIVERED} and r.report_id in (select id from lost_reports)
    then 'undelivered, and its bounce message failed'
end`);

function toLedger(counts: Counts, examples: UnaccountedRecipient[]): MailLedger {
  const states = {
    delivered: counts.delivered ?? 0,
    bounced: counts.bounced ?? 0,
    queued: counts.queued ?? 0,
    held: counts.held ?? 0,
    dropped: counts.dropped ?? 0,
    unaccounted: counts.unaccounted ?? 0,
  };
  const accepted = Object.values(states).reduce((sum, number) => sum + number, 0);
  return { accepted, ...states, examples };
}
