import { eq, sql } from "drizzle-orm";

import { groups } from "#drizzle/schema/index.ts";
import { findModerators } from "#server/core/mail/group-posts/moderation.ts";
import {
  originalMessage,
  type RecipientResult,
} from "#server/core/sending/bounce-messages/recipient-result.ts";
import {
  notifySenders,
  sendDsn,
  shouldNotifySender,
} from "#server/core/sending/bounce-messages/send-dsn.ts";
import { hasFailedRepeatedly } from "#server/core/sending/messages/messages.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

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
