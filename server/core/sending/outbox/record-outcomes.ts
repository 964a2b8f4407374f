import { sql } from "drizzle-orm";

import type { EmailEventType } from "#drizzle/schema/index.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import {
  eventBits,
  eventBitSql,
  publishEmailEvents,
} from "#server/core/sending/events/email-events.ts";
import { calendarMonth, changeTotals, lockTotals } from "#server/core/sending/quotas/totals.ts";
import { recordReaction } from "#server/core/sending/test-mode/test-mode.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";
import { PLANNED_EACH_TIME } from "#server/db/preparing.ts";

import { waitOf } from "./retry-schedule.ts";

/** The result for a leased row: the outcome of an attempt, or why there is none. */
export type LeaseOutcome = {
  rowId: string;
  emailId: string;
  recipient: string;
  /** Temporary failures before this attempt. */
  attempt: number;
} & (
  | Outcome
  /** `isWhole`: the email can't be sent to any of its remaining recipients. */
  | { result: "failed"; reason: string; isWhole?: boolean }
  /** Its recipient was suppressed after acceptance. */
  | { result: "suppressed"; reason: string }
);

const EVENT_TYPES = {
  delivered: "delivered",
  delayed: "delivery_delayed",
  bounced: "bounced",
  failed: "failed",
  suppressed: "suppressed",
} as const satisfies Record<LeaseOutcome["result"], EmailEventType>;

const MESSAGE_LENGTH_MAX = 2000;

/**
 * Records a batch of outcomes in one transaction: events, newest event, webhook events, suppressions and
 * outbox rows, which are deleted after a final outcome and rescheduled otherwise. After `retry_hours_email` a
 * temporary failure is final and bounces with the last reply. An email that fails as a whole gets one event, without a recipient, and all of
 * its rows end; an email of which nothing was sent doesn't count toward the monthly quota.
 *
 * Only rows leased by `owner` are recorded. Repeating a batch does nothing, so a caller that doesn't know
 * whether its commit succeeded can retry.
 *
 * @returns the ids of the recorded rows
 */
export async function recordOutcomes(
  db: Db,
  owner: string,
  outcomes: LeaseOutcome[],
): Promise<string[]> {
  if (outcomes.length === 0) return [];
  const { retry_hours_email: retryHours } = await currentSettings(db);
  const emailIds = [...new Set(outcomes.map(({ emailId }) => emailId))].sort();
  const { rows, hasReactions } = await db.transaction(async (tx) => {
    // Everything that writes an email's history locks its row first. Event ids then grow in commit order, and
    // `last_event` is always the newest. In id order, to avoid deadlocks.
    await tx.execute(sql`
      select id from emails
      where id = any(array(
        select value::uuid from jsonb_array_elements_text(${JSON.stringify(emailIds)}::jsonb)))
      order by id for no key update`);
    const recorded = await tx.execute<{ id: string; isPublished: boolean }>(
      recordStatement(owner, outcomes, retryHours),
    );
    const ids = new Set(recorded.map(({ id }) => id));
    await refundUnsent(
      tx,
      outcomes.filter(({ rowId }) => ids.has(rowId)),
    );
    let hasReactions = false;
    for (const { rowId, emailId, recipient, ...outcome } of outcomes)
      if ("reaction" in outcome && outcome.reaction && ids.has(rowId)) {
        await recordReaction(tx, outcome.reaction, { emailId, recipient });
        hasReactions = true;
      }
    return { rows: recorded, hasReactions };
  });
  // Reactions are published apart from the outcomes.
  if (rows[0]?.isPublished || hasReactions) wakeWebhooks(db);
  return rows.map(({ id }) => id);
}

/** Subtracts emails that ended without being sent to anyone from the monthly totals of their companies. */
async function refundUnsent(db: Db, recorded: LeaseOutcome[]): Promise<void> {
  const ended = recorded.filter(({ result }) => result === "failed" || result === "suppressed");
  if (ended.length === 0) return;
  const ids = [...new Set(ended.map(({ emailId }) => emailId))];
  const unsent = await db.execute<{ companyId: string; createdAt: string; recipients: number }>(sql`
    select company_id as "companyId", created_at as "createdAt",
      cardinality("to") + cardinality(cc) + cardinality(bcc) as recipients
    from emails
    where id = any(array(
        select value::uuid from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))
      and not is_test and event_types & ${eventBits(["delivered", "bounced"])} = 0
      and not exists (select from outbox where email_id = emails.id)`);
  if (unsent.length === 0) return;
  await lockTotals(db, [...new Set(unsent.map(({ companyId }) => companyId))]);
  await changeTotals(
    db,
    unsent.map(({ companyId, createdAt, recipients }) => ({
      companyId,
      month: { of: calendarMonth(new Date(createdAt)), by: -recipients },
    })),
  );
}

// Lookups by array and row by row, never a plain join with the outbox: see email-leases.ts.
function recordStatement(owner: string, outcomes: LeaseOutcome[], retryHours: number) {
  return sql`
    ${sql.raw(PLANNED_EACH_TIME)}
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(outcomes.map(toRow))}::jsonb)
        as t(position int, id bigint, email_id uuid, recipient text, type text, dsn text,
          message text, reason text, tls text, server text, server_address text, message_hash text, suppress boolean, quiet boolean, warm_up boolean, whole boolean, wait_seconds float8)
    ), held as materialized (
      select given.*, row_number() over (partition by email_id, whole order by position) as nth,
        o.since + make_interval(hours => ${retryHours}) as give_up_at,
        given.type = 'delivery_delayed' and (given.warm_up
          or o.since + make_interval(hours => ${retryHours}) > clock_timestamp()) as goes_on,
        clock_timestamp() + make_interval(secs => given.wait_seconds) as retry_at
      from given cross join lateral (
        select greatest(retries_from, created_at) as since from outbox
        where id = given.id and lease_owner = ${owner}::uuid for no key update) o
    ), settled as (
      delete from outbox where id = any(array(select id from held where not goes_on))
    ), rest as (
      -- Leased rows fail where they are prepared.
      delete from outbox where email_id = any(array(select email_id from held where whole))
        and id <> all(array(select id from held))
        and (lease_until is null or lease_until < statement_timestamp())
    ), waiting as (
      update outbox set attempt = attempt + (not (held.quiet or held.warm_up))::int,
        lease_until = null, lease_owner = null,
        next_attempt_at = case when held.warm_up then held.retry_at
          else least(held.retry_at, held.give_up_at) end,
        retries_from = case when held.warm_up then held.retry_at else retries_from end
      from held where outbox.id = held.id and held.goes_on
        and outbox.id = any(array(select id from held where goes_on))
    ), recorded as (
      insert into email_events (email_id, company_id, type, recipient, dsn, message, reason, tls,
        server, server_address, message_hash)
      select held.email_id, e.company_id,
        (case when held.type = 'delivery_delayed' and not held.goes_on then 'bounced'
          else held.type end)::email_event_type,
        case when not held.whole then held.recipient end, held.dsn, held.message, held.reason, held.tls,
        held.server, held.server_address, decode(held.message_hash, 'hex')
      from held join emails e on e.id = held.email_id
      where not (held.quiet and held.goes_on)
        and (not held.whole or held.nth = 1 and not exists (
          select from email_events f
          where f.email_id = e.id and f.type = 'failed' and f.recipient is null))
      order by held.position
      returning *
    ), published as (
      ${publishEmailEvents("recorded", "emails")}
      returning id
    ), newest as (
      select email_id, (array_agg(type order by id desc))[1] as type,
        bit_or(${eventBitSql(sql`type`)}) as bits
      from recorded group by email_id
    ), shown as (
      update emails set last_event = newest.type, event_types = event_types | newest.bits
      from newest where emails.id = newest.email_id
    ), suppressed as (
      insert into suppressions (id, company_id, email, origin, source_id)
      select distinct on (e.company_id, lower(held.recipient)) gen_random_uuid(),
        e.company_id, lower(held.recipient), 'bounce', held.email_id
      from held join emails e on e.id = held.email_id
      where held.suppress and not e.is_test
      order by e.company_id, lower(held.recipient)
      on conflict (company_id, email) do nothing
    )
    select id::text as id, exists (select from published) as "isPublished" from held`;
}

function toRow(outcome: LeaseOutcome, position: number) {
  const { rowId: id, emailId: email_id, recipient, result, attempt } = outcome;
  const row = { position, id, email_id, recipient, type: EVENT_TYPES[result] };
  if (outcome.result === "failed" || outcome.result === "suppressed") {
    const whole = outcome.result === "failed" && outcome.isWhole === true;
    return { ...row, whole, quiet: false, warm_up: false, reason: printable(outcome.reason) };
  }
  return {
    ...row,
    whole: false,
    dsn: outcome.dsn,
    message: printable(outcome.message),
    tls: outcome.tls,
    ...(result === "delivered" && proofOf(outcome)),
    suppress: result === "bounced" && outcome.suppress,
    ...waitOf(outcome, attempt),
  };
}

/** What a receipt says about a delivery. */
const proofOf = ({ host, address, messageHash }: Outcome) => ({
  ...(host !== undefined && address !== undefined && { server: host, server_address: address }),
  message_hash: messageHash,
});

/** Postgres rejects NUL, and replies can contain any byte. */
function printable(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, " ")
    .toWellFormed()
    .slice(0, MESSAGE_LENGTH_MAX);
}
