import { sql } from "drizzle-orm";

import type { Outcome } from "#mail/smtp/outcome.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { waitOf } from "#server/core/sending/outbox/record-outcomes.ts";
import { completeReleases } from "#server/core/mail/quarantine/release-quarantined.ts";
import { plainText } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

import { followUp } from "./follow-up.ts";
import { DELAY_NOTICE_AFTER_SECONDS } from "#server/core/sending/bounce-messages/send-dsn.ts";
import {
  originalMessage,
  type RecipientResult,
} from "#server/core/sending/bounce-messages/recipient-result.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";

/** The outcome of one attempt for one recipient of a message. */
export type MessageOutcome = Outcome & {
  /** Id in `message_recipients`: a bigint as text. */
  rowId: string;
  messageId: string;
  /** Temporary failures before this attempt. */
  attempt: number;
  /**
   * Into a mailbox here, to another server, or to the members of a group. `transferred`: to a server that sends the
   * notifications (RFC 3461, 5.2.2).
   */
  delivery: "delivered" | "relayed" | "transferred" | "expanded";
};

const REPLY_LENGTH_MAX = 2000;

/** A row of the `returning` clause. */
type Row = Omit<RecipientResult, "result" | "delivery" | "host"> & { goesOn: boolean };

/**
 * Records a batch of outcomes in one transaction: the recipients' states, the delays, and the bounce messages to
 * senders. A temporary failure after `retry_hours_mailbox` is final. Delayed mail of a mailbox whose sending is on hold goes on
 * hold too.
 *
 * Idempotent: skips rows that `owner` no longer leases.
 *
 * @param hostname the appliance's name in bounce messages
 * @returns the ids of the recorded rows
 */
export async function recordMessageOutcomes(
  db: Db,
  { owner, hostname }: { owner: string; hostname: string },
  outcomes: MessageOutcome[],
): Promise<string[]> {
  if (outcomes.length === 0) return [];
  const { retry_hours_mailbox: retryHours } = await currentSettings(db);
  const { ids, reports } = await db.transaction(async (tx) => {
    await lockMailboxes(tx, outcomes);
    const rows = await tx.execute<Row>(updateRecipients(owner, outcomes, retryHours));
    await completeReleases(tx, releasable(rows));
    return {
      ids: rows.map(({ rowId }) => rowId),
      reports: await followUp(tx, hostname, toSettled(rows, outcomes)),
    };
  });
  if (reports > 0) wakeMessages(db);
  return ids;
}

/**
 * Locks the mailboxes against a concurrent hold, which first sets `sending_held_at` and then holds queued rows. A
 * recipient that goes back into the queue is so either put on hold here or found there.
 */
async function lockMailboxes(db: Db, outcomes: MessageOutcome[]): Promise<void> {
  const delayed = outcomes.filter(({ result }) => result === "delayed");
  if (delayed.length === 0) return;
  const ids = [...new Set(delayed.map(({ messageId }) => messageId))];
  await db.execute(sql`
    select address from mailboxes
    where address = any(array(
      select mailbox from messages where id = any(array(
        select value::uuid from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))))
    order by address for share`);
}

function updateRecipients(owner: string, outcomes: MessageOutcome[], retryHours: number) {
  // By id, the lock order of these rows everywhere.
  const given = outcomes.map(toRow).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  return sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as t(id bigint, result text, dsn text, reply text, tls text, quiet boolean, warm_up boolean,
          wait_seconds float8)
    ), leased as materialized (
      select given.*, r.message_id, r.recipient,
        case when given.warm_up then clock_timestamp() + make_interval(secs => given.wait_seconds)
          else r.retries_from end as retries_from,
        case when not given.warm_up then r.since + make_interval(hours => ${retryHours}) end as give_up_at,
        r.created_at + make_interval(secs => ${DELAY_NOTICE_AFTER_SECONDS}) as tell_at,
        given.result = 'delayed' and (given.warm_up
          or r.since + make_interval(hours => ${retryHours}) > clock_timestamp()) as goes_on
      from given cross join lateral (
        select message_id, recipient, created_at, retries_from, greatest(retries_from, created_at) as since
        from message_recipients
        where id = given.id and lease_owner = ${owner}::uuid for no key update) r
    ), delayed as (
      insert into message_delays (message_id, recipient, dsn, reply, tls)
      select leased.message_id, leased.recipient, leased.dsn, leased.reply, leased.tls
      from leased where leased.goes_on and not leased.quiet order by leased.id
    )
    update message_recipients r set
      state = (case
        when leased.goes_on and exists (
          select from mailboxes b where b.address = m.mailbox and b.sending_held_at is not null)
          then 'held'
        when leased.goes_on then 'queued'
        when leased.result = 'delivered' then 'delivered'
        else 'bounced' end)::message_recipient_state,
      attempt = r.attempt + (leased.goes_on and not (leased.quiet or leased.warm_up))::int,
      retries_from = leased.retries_from,
      dsn = leased.dsn, reply = leased.reply, tls = leased.tls, lease_until = null, lease_owner = null,
      settled_at = case when not leased.goes_on then clock_timestamp() end,
      -- Schedules an attempt for the time when the delay is reported to the sender.
      next_attempt_at = case when not leased.goes_on then r.next_attempt_at else least(
        clock_timestamp() + make_interval(secs => leased.wait_seconds), leased.give_up_at,
        case when leased.tell_at > clock_timestamp() then leased.tell_at end) end
    from leased join messages m on m.id = leased.message_id
    where r.id = leased.id and r.id = any(array(select id from leased))
    returning r.id::text as "rowId", leased.goes_on as "goesOn", r.recipient,
      r.original_recipient as "originalRecipient", r.notify, r.dsn, r.reply,
      case when leased.goes_on then coalesce(leased.give_up_at,
        leased.retries_from + make_interval(hours => ${retryHours})) end as "giveUpAt",
      extract(epoch from clock_timestamp() - r.created_at)::float8 as "waitedSeconds",
      r.delay_told_at is not null as "isDelayReported", ${originalMessage} as message`;
}

/** Messages that just got a final outcome for a recipient and may have been released from quarantine. */
const releasable = (rows: Row[]): string[] =>
  rows.flatMap(({ goesOn, message }) =>
    !goesOn && message.origin === "incoming" ? [message.id] : [],
  );

function toRow(outcome: MessageOutcome) {
  const { rowId: id, result, dsn, message, tls, attempt } = outcome;
  const reply = plainText(message, REPLY_LENGTH_MAX);
  return { id, result, dsn, reply, tls, ...waitOf(outcome, attempt) };
}

function toSettled(rows: Row[], outcomes: MessageOutcome[]): RecipientResult[] {
  const byId = new Map(outcomes.map((outcome) => [outcome.rowId, outcome]));
  return rows.map((row) => {
    const { result, delivery, host = null } = byId.get(row.rowId)!;
    return {
      ...row,
      result: row.goesOn || result === "delivered" ? result : "bounced",
      delivery,
      host,
    };
  });
}
