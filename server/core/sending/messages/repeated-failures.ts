import { type SQL, sql } from "drizzle-orm";

import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import type { Db } from "#server/db/client.ts";

/** Consecutive permanent failures after which an address counts as failing. */
export const FAILURES_MAX = 5;

/**
 * Whether the latest deliveries up to this one all failed permanently. Ignores messages sent later, since
 * late bounces for those may still arrive.
 *
 * @param among SQL condition on the messages `m` to count
 */
export async function hasFailedRepeatedly(
  db: Db,
  { recipient, message }: RecipientResult,
  among: SQL,
): Promise<boolean> {
  const [found] = await db.execute<{ failures: number }>(sql`
    select count(*) filter (where state = 'bounced')::int as failures from (
      select r.state from messages m join message_recipients r on r.message_id = m.id
      where ${among} and m.origin = ${message.origin} and m.created_at <= ${message.createdAt}
        and lower(r.recipient) = lower(${recipient}) and r.state in ('delivered', 'bounced')
      order by m.created_at desc limit ${FAILURES_MAX}) latest`);
  return found!.failures === FAILURES_MAX;
}
