import { eq, sql } from "drizzle-orm";

import { groups } from "#drizzle/schema/index.ts";
import { findModerators } from "#server/core/mail/group-posts/find-moderators.ts";
import { originalMessage } from "#server/core/sending/bounce-messages/original-message.ts";
import { sendDsn } from "#server/core/sending/bounce-messages/send-dsn.ts";
import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Returns posts that reached no member to the group's moderators, or else to the company's owners. The author gets
 * no bounce, which would disclose the members.
 *
 * @param failed group copies recorded as permanently failed
 * @returns the number of messages queued
 */
export async function returnPosts(
  db: Db,
  hostname: string,
  failed: RecipientResult[],
): Promise<number> {
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
