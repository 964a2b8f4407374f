import { eq } from "drizzle-orm";

import { emailBodies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Loads the message of an email submitted over SMTP; null for other emails. Up to 35 MB. */
export async function loadSource(db: Db, emailId: string): Promise<Buffer | null> {
  const [found] = await db
    .select({ source: emailBodies.source })
    .from(emailBodies)
    .where(eq(emailBodies.emailId, emailId));
  return found?.source ?? null;
}
