import { and, eq } from "drizzle-orm";

import { type Email, emails } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Locks an email's row until the caller's transaction ends. Everything that writes an email's history takes this
 * lock, so the caller sees what was recorded before. Test emails never leave the server, so no report can be about them.
 */
export async function lockEmail(db: Db, id: string): Promise<Email | undefined> {
  const [email] = await db
    .select()
    .from(emails)
    .where(and(eq(emails.id, id), eq(emails.isTest, false)))
    .for("no key update");
  return email;
}
