import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

type LedgerState =
  "delivered" | "bounced" | "failed" | "queued" | "scheduled" | "canceled" | "suppressed";

/** A recipient without a consistent outcome. */
type UnaccountedRecipient = { emailId: string; recipient: string; why: string };

export type Ledger = Record<LedgerState, number> & {
  /** Distinct recipients of all emails: the sum of the states and `unaccounted`. */
  accepted: number;
  unaccounted: number;
  /** The first unaccounted recipients. */
  examples: UnaccountedRecipient[];
};

const EXAMPLES_MAX = 20;

/**
 * Accounts for every recipient of every accepted email by its outbox row, its events and the email's events. A
 * recipient with no evidence or contradictory evidence is unaccounted. One statement, for a consistent snapshot.
 */
export function auditLedger(db: Db): Promise<Ledger> {
  return db.transaction(
    async (tx) => {
      // Memory for sorting and hashing millions of rows. JIT costs more than it gains here.
      await tx.execute(sql`set local work_mem = '128MB'`);
      await tx.execute(sql`set local jit = off`);
      return auditAll(tx);
    },
    { accessMode: "read only" },
  );
}

async function auditAll(db: Db): Promise<Ledger> {
  const [row] = await db.execute<{
    counts: Partial<Record<LedgerState | "unaccounted", number>> | null;
    examples: UnaccountedRecipient[] | null;
  }>(sql`
    with accepted as (
      select e.id as email_id, r.recipient from emails e cross join lateral (
        select distinct lower(address) as recipient from unnest(e."to" || e.cc || e.bcc) address) r
    ), waiting as (
      select email_id, lower(recipient) as recipient, count(*) as row_count,
        bool_or(lease_until is not null) as leased
      from outbox group by 1, 2
    ), own as (
      select email_id, lower(recipient) as recipient,
        count(*) filter (where type = 'delivered') as deliveries,
        (max(array[id, array_position(${FINAL_TYPES}::text[], type::text)]))[2] as last
      from email_events
      where recipient is not null and type::text = any(${FINAL_TYPES}::text[]) group by 1, 2
    ), whole as (
      select email_id, bool_or(type = 'sent') as sent,
        bool_or(type = 'canceled') as canceled,
        bool_or(type = 'failed' and recipient is null) as failed,
        bool_or(type in ('scheduled', 'queued')) as scheduled
      from email_events where type in ('sent', 'canceled', 'failed', 'scheduled', 'queued') group by 1
    ), evidence as (
      select email_id, recipient, coalesce(waiting.row_count, 0) as row_count, leased,
        coalesce(own.deliveries, 0) as deliveries, (${FINAL_TYPES}::text[])[own.last] as final,
        coalesce(sent, false) as sent, coalesce(canceled, false) as canceled,
        coalesce(failed, false) as failed, coalesce(scheduled, false) as scheduled
      from accepted left join waiting using (email_id, recipient)
        left join own using (email_id, recipient) left join whole using (email_id)
    ), judged as materialized (
      select email_id, recipient, ${PROBLEM} as why, ${STATE} as state from evidence
    )
    select
      (select jsonb_object_agg(state, number) from (
        select case when why is null then state else 'unaccounted' end as state, count(*) as number
        from judged group by 1) sums) as counts,
      (select jsonb_agg(jsonb_build_object('emailId', email_id, 'recipient', recipient, 'why', why))
        from (select * from judged where why is not null order by email_id, recipient
          limit ${EXAMPLES_MAX}) doubtful) as examples`);
  return toLedger(row!.counts ?? {}, row!.examples ?? []);
}

const FINAL_TYPES = sql.raw(`'{delivered,bounced,suppressed,failed}'`);

/** The contradiction in the evidence; null if there is none. */
const PROBLEM = sql.raw(`case
  when row_count > 1 then 'queued twice'
  when row_count = 1 and final is not null then 'queued, but also ' || final
  when row_count = 1 and canceled then 'queued, but the email is canceled'
  when row_count = 1 and failed and not leased then 'queued, but the email failed'
  when deliveries > 1 then 'recorded as delivered more than once'
  when canceled and (sent or final <> 'suppressed') then 'canceled, but sent'
  when not sent and (row_count = 1 or final in ('delivered', 'bounced'))
    then 'the email has no sent event'
  when row_count = 0 and final is null and not (canceled or failed) and sent
    then 'sent, but has no outcome'
  when row_count = 0 and final is null and not (canceled or failed or scheduled)
    then 'has no history'
end`);

const STATE = sql.raw(`case
  when row_count = 1 then 'queued'
  when final is not null then final
  when canceled then 'canceled'
  when failed then 'failed'
  else 'scheduled'
end`);

function toLedger(
  counts: Partial<Record<LedgerState | "unaccounted", number>>,
  examples: UnaccountedRecipient[],
): Ledger {
  const states = {
    delivered: counts.delivered ?? 0,
    bounced: counts.bounced ?? 0,
    failed: counts.failed ?? 0,
    queued: counts.queued ?? 0,
    scheduled: counts.scheduled ?? 0,
    canceled: counts.canceled ?? 0,
    suppressed: counts.suppressed ?? 0,
    unaccounted: counts.unaccounted ?? 0,
  };
  const accepted = Object.values(states).reduce((sum, number) => sum + number, 0);
  return { accepted, ...states, examples };
}
