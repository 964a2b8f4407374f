import { sql } from "drizzle-orm";

import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

import { hasFailedRepeatedly } from "#server/core/sending/messages/repeated-failures.ts";

/**
 * Suspends forwarding to addresses that have failed repeatedly since the mailbox user last resumed it.
 *
 * @param failed forwards recorded as permanently failed
 * @returns the row ids of the failures that triggered a suspension
 */
export async function suspendForwards(db: Db, failed: RecipientResult[]): Promise<Set<string>> {
  const suspended = new Set<string>();
  for (const settled of failed.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
    if (await suspend(db, settled)) suspended.add(settled.rowId);
  return suspended;
}

const keyOf = ({ message, recipient }: RecipientResult) =>
  `${message.sender} ${recipient.toLowerCase()}`;

async function suspend(db: Db, settled: RecipientResult): Promise<boolean> {
  const { message, dsn, reply } = settled;
  const target = settled.recipient.toLowerCase();
  const mailbox = message.sender;
  // Serialize concurrent failures, so that each one counts.
  await lock(db, "forwardFailures", keyOf(settled));
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
