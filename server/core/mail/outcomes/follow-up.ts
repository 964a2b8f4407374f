import { sql } from "drizzle-orm";

import { shouldNotifySender } from "#server/core/sending/bounce-messages/should-notify-sender.ts";
import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import { notifySenders } from "#server/core/sending/bounce-messages/notify-senders.ts";
import { hasFailedRepeatedly } from "#server/core/sending/messages/repeated-failures.ts";
import type { Db } from "#server/db/client.ts";

import { returnPosts } from "./internal/return-posts.ts";
import { suspendForwards } from "./internal/suspend-forwards.ts";

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
