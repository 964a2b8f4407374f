import { eq } from "drizzle-orm";

import { type Email, emails } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * An email, held until the caller's transaction ends: whoever writes an email's history or what counts of it
 * holds its row, so what others recorded before is then seen.
 */
export async function lockEmail(db: Db, id: string): Promise<Email | undefined> {
  const [email] = await db.select().from(emails).where(eq(emails.id, id)).for("no key update");
  return email;
}
