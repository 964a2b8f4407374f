import { eq, notExists } from "drizzle-orm";

import { mailboxes, removedStores } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { removeMailStore } from "#server/gateways/mail-store.ts";

/** Removes the mail of deleted mailboxes from the disk, then from the list of what is to be removed. */
export async function removeMailStores(db: Db): Promise<void> {
  const isNobodys = notExists(
    db.select().from(mailboxes).where(eq(mailboxes.store, removedStores.store)),
  );
  for (const { store } of await db.select().from(removedStores).where(isNobodys)) {
    await removeMailStore(store);
    await db.delete(removedStores).where(eq(removedStores.store, store));
  }
}
