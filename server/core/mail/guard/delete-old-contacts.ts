import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { inBatches } from "#server/db/in-batches.ts";

const BATCH = 1_000;

/**
 * Deletes contacts of mailboxes that were first written to more than `days` ago. After that, they count as new
 * recipients again.
 *
 * @returns the number of contacts deleted
 */
export function deleteOldContacts(db: Db, days: number): Promise<number> {
  return inBatches(BATCH, async () => {
    const rows = await db.execute(sql`
      delete from mailbox_contacts where (mailbox, contact) in (
        select mailbox, contact from mailbox_contacts
        where created_at < statement_timestamp() - make_interval(days => ${days})
        limit ${BATCH}
        for update skip locked)
      returning contact`);
    return rows.length;
  });
}
