import { asc, eq } from "drizzle-orm";

import { mailboxViewers } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** The mailboxes whose users can open a mailbox that isn't theirs. */
export async function listViewers(db: Db, mailbox: string): Promise<string[]> {
  const rows = await db
    .select({ viewer: mailboxViewers.viewer })
    .from(mailboxViewers)
    .where(eq(mailboxViewers.mailbox, mailbox))
    .orderBy(asc(mailboxViewers.viewer));
  return rows.map(({ viewer }) => viewer);
}
