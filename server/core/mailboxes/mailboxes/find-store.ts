import { eq } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** The folder of a mailbox's mail below `mail` in the data folder; null if there is no such mailbox. */
export async function findStore(db: Db, address: string): Promise<string | null> {
  const [row] = await db
    .select({ store: mailboxes.store })
    .from(mailboxes)
    .where(eq(mailboxes.address, address));
  return row?.store ?? null;
}
