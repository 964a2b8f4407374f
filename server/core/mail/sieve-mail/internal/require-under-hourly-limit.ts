import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { SieveMailRejected } from "#server/core/mail/sieve-mail/sieve-mail-rejected.ts";

/** What one mailbox sends by its rules within an hour: a flood of mail must not become two. */
const HOURLY_MAX = { forward: 500, vacation: 100 };

/**
 * Requires that a mailbox may forward, or answer, once more. Its row stays locked until the caller's
 * transaction ends, so that deliveries at the same moment are counted one after the other.
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
    throw new SieveMailRejected(`${HOURLY_MAX[origin]} an hour are enough`);
}
