import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { NotSubmitted } from "./not-submitted.ts";

/**
 * Requires that a mailbox may write to so many recipients more within any 60 minutes. Its row is locked
 * by the caller, so that messages at the same moment are counted one after the other.
 *
 * @throws NotSubmitted with the time from which there is room
 */
export async function requireRoom(
  db: Db,
  { mailbox, recipients, limit }: { mailbox: string; recipients: number; limit: number },
): Promise<void> {
  if (recipients > limit)
    throw new NotSubmitted(
      "5.5.3",
      `This message has ${recipients} recipients, and this mailbox may write to ${limit} in an hour`,
    );
  // Newest first: the first message with which it is too much has to be an hour old.
  const [full] = await db.execute<{ at: string; minutes: number }>(sql`
    select to_char(created_at + interval '1 hour' + interval '1 minute', 'HH24:MI') as at,
      ceil(extract(epoch from created_at + interval '1 hour' - clock_timestamp()) / 60)::int as minutes
    from (
      select created_at, sum(recipient_count) over (order by created_at desc, id desc) as sent
      from messages
      where mailbox = ${mailbox} and origin = 'submission'
        and created_at > clock_timestamp() - interval '1 hour'
    ) recent
    where sent + ${recipients} > ${limit}
    order by created_at desc limit 1`);
  if (!full) return;
  const { at, minutes } = full;
  throw new NotSubmitted(
    "4.7.1",
    `This mailbox may write to ${limit} recipients in an hour: try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}, at ${at} UTC`,
  );
}
