import { and, eq, isNull, sql } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Notes that a person has shown to read mail of their address. Called inside the transaction in which they
 * did; false where that was known before.
 */
export async function confirmAddress(db: Db, email: string): Promise<boolean> {
  const confirmed = await db
    .update(people)
    .set({ emailProvenAt: sql`clock_timestamp()` })
    .where(and(eq(people.email, email), isNull(people.emailProvenAt)))
    .returning({ email: people.email });
  return confirmed.length > 0;
}

/** Whether a person, or whoever vouched for them, has ever shown that the address is theirs. */
export async function isAddressConfirmed(db: Db, email: string): Promise<boolean> {
  const [person] = await db
    .select({ provenAt: people.emailProvenAt })
    .from(people)
    .where(eq(people.email, email));
  return typeof person?.provenAt === "string";
}
