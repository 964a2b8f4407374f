import { mailboxContacts } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/delete-in-batches.ts";

const isOld = (days: number) => isOlderThan(mailboxContacts.createdAt, days);

/** Counts what `deleteOldContacts` would delete. */
export const countOldContacts = (db: Db, days: number): Promise<number> =>
  db.$count(mailboxContacts, isOld(days));

/**
 * Deletes contacts of mailboxes that were first written to more than `days` ago. After that, they count as new
 * recipients again.
 *
 * @returns the number of contacts deleted
 */
export function deleteOldContacts(db: Db, days: number): Promise<number> {
  return deleteInBatches(db, mailboxContacts, { where: isOld(days) });
}
