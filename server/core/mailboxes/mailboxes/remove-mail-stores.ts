import { and, eq, notExists, sql } from "drizzle-orm";

import { mailboxes, removedStores } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { removeMailStore } from "#server/gateways/mail-store.ts";

/**
 * Removes the stored mail of deleted mailboxes, and old copies of moved ones, from this host's disk.
 *
 * @param host the name of this mail host; null if mail hosts have no names
 * @param endCopies ends the copying of a mail store from or to this host, which would create files again
 * @throws AggregateError if some could not be removed, after trying all
 */
export async function removeMailStores(
  db: Db,
  host: string | null = null,
  endCopies: (store: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  // A mail host looks all the time, so the sessions and deliveries of a mailbox may not have ended yet.
  const isHere = sql`${removedStores.storeHost} is not distinct from ${host}::text
    and (${host}::text is null or ${removedStores.createdAt} <
      statement_timestamp() - interval '15 seconds')`;
  const isUnused = notExists(
    db
      .select()
      .from(mailboxes)
      .where(
        and(
          eq(mailboxes.store, removedStores.store),
          sql`${mailboxes.storeHost} is not distinct from ${removedStores.storeHost}`,
        ),
      ),
  );
  const failures: unknown[] = [];
  for (const { store } of await db.select().from(removedStores).where(and(isHere, isUnused)))
    try {
      await endCopies(store);
      await removeMailStore(store);
      await db.delete(removedStores).where(and(isHere, eq(removedStores.store, store)));
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0)
    throw new AggregateError(failures, `Mail could not be removed: ${failures.join("; ")}`);
}
