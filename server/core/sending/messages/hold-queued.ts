import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { type CompanyMailbox, lockMailboxRows } from "./internal/lock-mailbox-rows.ts";

/**
 * Holds what a mailbox has sent and still waits. What a worker is delivering at this moment it may still
 * deliver; where it cannot, the record holds it too while the mailbox's `sending_held_at` is set, so set
 * that first.
 *
 * @returns recipients that are now held
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
