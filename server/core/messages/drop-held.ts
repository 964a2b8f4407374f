import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { type MailboxOfCompany, rowsOfMailbox } from "./rows-of-mailbox.ts";

/**
 * Throws away what is held of a mailbox: nobody gets it, and nobody is told.
 *
 * @returns recipients who do not get it
 */
export async function dropHeld(db: Db, mailbox: MailboxOfCompany): Promise<number> {
  const rows = await db.execute(sql`
    with found as materialized (${rowsOfMailbox(mailbox, sql`state = 'held'`)})
    update message_recipients r set state = 'dropped', settled_at = clock_timestamp()
    from found where r.id = found.id
    returning r.id`);
  return rows.length;
}
