import { eq } from "drizzle-orm";

import { type Email, emails } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Locks an email's row until the caller's transaction ends. Everything that writes an email's history takes this
 * lock, so the caller sees what was recorded before.
 */
export async function lockEmail(db: Db, id: string): Promise<Email | undefined> {
  const [email] = await db.select().from(emails).where(eq(emails.id, id)).for("no key update");
  return email;
}
