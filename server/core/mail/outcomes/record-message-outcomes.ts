import { eq, sql } from "drizzle-orm";

import { groups } from "#drizzle/schema/index.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import { findModerators } from "#server/core/mail/group-posts/moderation.ts";
import { completeReleases } from "#server/core/mail/quarantine/release-quarantined.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import {
  originalMessage,
  type RecipientResult,
} from "#server/core/sending/bounce-messages/recipient-result.ts";
import {
  DELAY_NOTICE_AFTER_SECONDS,
  notifySenders,
  sendDsn,
  shouldNotifySender,
} from "#server/core/sending/bounce-messages/send-dsn.ts";
import { hasFailedRepeatedly, wakeMessages } from "#server/core/sending/messages/messages.ts";
import { waitOf } from "#server/core/sending/outbox/retry-schedule.ts";
import { plainText } from "#server/core/shared/text.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

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
      select given.*, r.message_id, r.company_id, r.recipient,
        case when given.warm_up then clock_timestamp() + make_interval(secs => given.wait_seconds)
          else r.retries_from end as retries_from,
        case when not given.warm_up then r.since + make_interval(hours => ${retryHours}) end as give_up_at,
        r.created_at + make_interval(secs => ${DELAY_NOTICE_AFTER_SECONDS}) as tell_at,
        given.result = 'delayed' and (given.warm_up
          or r.since + make_interval(hours => ${retryHours}) > clock_timestamp()) as goes_on
      from given cross join lateral (
        select message_id, company_id, recipient, created_at, retries_from, greatest(retries_from, created_at) as since
        from message_recipients
        where id = given.id and lease_owner = ${owner}::uuid for no key update) r
    ), delayed as (
      insert into message_delays (message_id, company_id, recipient, dsn, reply, tls)
      select leased.message_id, leased.company_id, leased.recipient, leased.dsn, leased.reply, leased.tls
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

/** After this time, a member that still fails is reported again. */
const REPORTED_AGAIN_DAYS = 30;

/**
 * Acts on outcomes, in the transaction that recorded them: queues bounce messages to senders, suspends failing
 * forwards, records failing group members, and returns posts that reached no member. Call `wakeMessages` after the
 * commit if the result isn't 0.
 *
 * @param hostname the appliance's name in bounce messages
 * @returns the number of messages queued
 */
export async function followUp(
  db: Db,
  hostname: string,
  settled: RecipientResult[],
): Promise<number> {
  const failed = (origin: "forward" | "group") =>
    settled.filter(({ message, result }) => message.origin === origin && result === "bounced");
  const suspended = await suspendForwards(db, failed("forward"));
  await recordFailingMembers(db, failed("group"));
  const toNotify = settled
    .filter(shouldNotifySender)
    .map((one) => ({ ...one, isSuspended: suspended.has(one.rowId) }));
  const reports = await notifySenders(db, hostname, toNotify);
  return reports + (await returnPosts(db, hostname, failed("group")));
}

/**
 * Records group members that failed repeatedly; `reportFailingMembers` notifies admins.
 *
 * @param failed group copies recorded as permanently failed
 */
async function recordFailingMembers(db: Db, failed: RecipientResult[]): Promise<void> {
  for (const settled of failed.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const { message, recipient, dsn, reply } = settled;
    const among = sql`m.group_address = ${message.groupAddress}`;
    if (!(await hasFailedRepeatedly(db, settled, among))) continue;
    // postmaster@ and abuse@ have copies too, but may not be groups.
    await db.execute(sql`
      insert into failing_members as known
        (group_address, member, company_id, dsn, reply, failing_since)
      select address, ${recipient}, company_id, ${dsn ?? ""}, ${reply ?? ""}, clock_timestamp()
      from groups where address = ${message.groupAddress}
      on conflict (group_address, member) do update set
        dsn = excluded.dsn, reply = excluded.reply,
        failing_since = excluded.failing_since, noticed_at = null
      where known.noticed_at < clock_timestamp() - make_interval(days => ${REPORTED_AGAIN_DAYS})`);
  }
}

const keyOf = ({ message, recipient }: RecipientResult) => `${message.groupAddress} ${recipient}`;

/**
 * Returns posts that reached no member to the group's moderators, or else to the company's owners. The author gets
 * no bounce, which would disclose the members.
 *
 * @param failed group copies recorded as permanently failed
 * @returns the number of messages queued
 */
async function returnPosts(db: Db, hostname: string, failed: RecipientResult[]): Promise<number> {
  const ids = new Set(failed.flatMap(({ message }) => message.distributionId ?? []));
  let reports = 0;
  for (const id of [...ids].toSorted()) if (await returnPost(db, hostname, id)) reports++;
  return reports;
}

async function returnPost(db: Db, hostname: string, id: string): Promise<boolean> {
  // If two workers record the last two copies concurrently, the second must see the first outcome.
  await lock(db, "groupPost", id);
  const [open] = await db.execute(sql`
    select from messages m join message_recipients r on r.message_id = m.id
    where m.distribution_id = ${id}::uuid and (r.state <> 'bounced' or r.report_id is not null)
    limit 1`);
  if (open) return false;
  const recipients = await findFailed(db, id);
  const address = recipients[0]?.message.groupAddress ?? "";
  const [group] = await db.select().from(groups).where(eq(groups.address, address));
  if (!group) return false;
  return sendDsn(db, hostname, { recipients, to: await findModerators(db, group) });
}

async function findFailed(db: Db, id: string): Promise<RecipientResult[]> {
  const rows = await db.execute<Omit<RecipientResult, "result" | "delivery" | "host">>(sql`
    select r.id::text as "rowId", r.recipient, r.original_recipient as "originalRecipient", r.notify,
      r.dsn, r.reply, null as "giveUpAt", 0 as "waitedSeconds", false as "isDelayReported",
      ${originalMessage} as message
    from message_recipients r join messages m on m.id = r.message_id
    where m.distribution_id = ${id}::uuid
    order by r.id`);
  return rows.map((row) => ({ ...row, result: "bounced", delivery: "relayed", host: null }));
}

/**
 * Suspends forwarding to addresses that have failed repeatedly since the mailbox user last resumed it.
 *
 * @param failed forwards recorded as permanently failed
 * @returns the row ids of the failures that triggered a suspension
 */
export async function suspendForwards(db: Db, failed: RecipientResult[]): Promise<Set<string>> {
  const suspended = new Set<string>();
  for (const settled of failed.toSorted((a, b) => (forwardKey(a) < forwardKey(b) ? -1 : 1)))
    if (await suspend(db, settled)) suspended.add(settled.rowId);
  // After all locks, in the same order everywhere: a mailbox has one job, whichever of its forwards failed.
  const mailboxes = new Map(
    failed
      .filter(({ rowId }) => suspended.has(rowId))
      .map(({ message }) => [message.sender, message.companyId]),
  );
  for (const [mailbox, companyId] of [...mailboxes].toSorted())
    await enqueue(db, "refresh_forwards", { companyId, mailbox });
  return suspended;
}

const forwardKey = ({ message, recipient }: RecipientResult) =>
  `${message.sender} ${recipient.toLowerCase()}`;

async function suspend(db: Db, settled: RecipientResult): Promise<boolean> {
  const { message, dsn, reply } = settled;
  const target = settled.recipient.toLowerCase();
  const mailbox = message.sender;
  // Serialize concurrent failures, so that each one counts.
  await lock(db, "forwardFailures", forwardKey(settled));
  const resumedAt = sql`(select resumed_at from forward_suspensions
    where mailbox = ${mailbox} and target = ${target})`;
  const among = sql`m.mailbox = ${mailbox} and m.created_at > coalesce(${resumedAt}, '-infinity')`;
  if (!(await hasFailedRepeatedly(db, settled, among))) return false;
  const rows = await db.execute(sql`
    insert into forward_suspensions as known (mailbox, target, dsn, reply, suspended_at)
    select address, ${target}, ${dsn ?? ""}, ${reply ?? ""}, clock_timestamp()
    from mailboxes where address = ${mailbox}
    on conflict (mailbox, target) do update set
      dsn = excluded.dsn, reply = excluded.reply, suspended_at = excluded.suspended_at,
      resumed_at = null
    where known.resumed_at is not null
    returning mailbox`);
  return rows.length > 0;
}
