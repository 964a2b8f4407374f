import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { type CompanyMailbox, lockMailboxRows } from "./internal/lock-mailbox-rows.ts";

/**
 * Puts queued mail of a mailbox on hold. Mail that a worker is delivering may still go out; if it can't,
 * recording the outcome puts it on hold too, provided that the mailbox's `sending_held_at` is set, so set
 * that first.
 *
 * @returns the number of recipients put on hold
 */
export async function holdQueued(db: Db, mailbox: CompanyMailbox): Promise<number> {
  const isFree = sql`state = 'queued' and (lease_until is null or lease_until < clock_timestamp())`;
  const rows = await db.execute(sql`
    with found as materialized (${lockMailboxRows(mailbox, isFree)})
    update message_recipients r set state = 'held', lease_until = null, lease_owner = null
    from found where r.id = found.id
    returning r.id`);
  return rows.length;
}
