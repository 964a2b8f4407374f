import { eq, notExists } from "drizzle-orm";

import { mailboxes, removedStores } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { removeMailStore } from "#server/gateways/mail-store.ts";

/**
 * Removes the stored mail of deleted mailboxes from disk.
 *
 * @throws AggregateError if some could not be removed, after trying all
 */
export async function removeMailStores(db: Db): Promise<void> {
  const isUnused = notExists(
    db.select().from(mailboxes).where(eq(mailboxes.store, removedStores.store)),
  );
  const failures: unknown[] = [];
  for (const { store } of await db.select().from(removedStores).where(isUnused))
    try {
      await removeMailStore(store);
      await db.delete(removedStores).where(eq(removedStores.store, store));
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0)
    throw new AggregateError(failures, `Mail could not be removed: ${failures.join("; ")}`);
}
