import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { SieveMailRejected } from "#server/core/mail/sieve-mail/sieve-mail-rejected.ts";

// Per mailbox, so that a flood of incoming mail doesn't become a flood of outgoing mail.
const HOURLY_MAX = { forward: 500, vacation: 100 };

/**
 * Requires that a mailbox is under its hourly limit of forwards or vacation replies. Locks the mailbox until the
 * caller's transaction ends, so that concurrent messages are counted.
 *
 * @throws SieveMailRejected
 */
export async function requireUnderHourlyLimit(
  db: Db,
  mailbox: string,
  origin: keyof typeof HOURLY_MAX,
): Promise<void> {
  await db.execute(sql`select from mailboxes where address = ${mailbox} for no key update`);
  const [found] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from messages
    where mailbox = ${mailbox} and origin = ${origin}
      and created_at > clock_timestamp() - interval '1 hour'`);
  if (found!.count >= HOURLY_MAX[origin])
    throw new SieveMailRejected(`Limit of ${HOURLY_MAX[origin]} messages per hour reached`);
}
