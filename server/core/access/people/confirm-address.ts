import { and, eq, isNull, sql } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import { catchAllOf, withoutTag } from "#server/core/shared/addresses/variants-sql.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Records that a person has proven to receive mail at their address. Call in the transaction with the proof.
 *
 * @returns false if the address was already confirmed
 */
export async function confirmAddress(db: Db, email: string): Promise<boolean> {
  const confirmed = await db
    .update(people)
    .set({ emailProvenAt: sql`clock_timestamp()` })
    .where(and(eq(people.email, email), isNull(people.emailProvenAt)))
    .returning({ email: people.email });
  return confirmed.length > 0;
}

/** Whether mail to the address arrives on this server, where admins decide who reads it. */
export async function isHosted(db: Db, email: string): Promise<boolean> {
  const address = sql`${email}::text`;
  const [found] = await db.execute<{ isHosted: boolean }>(sql`
    select exists (select from addresses
      where address in (${address}, ${withoutTag(address)}, ${catchAllOf(address)})) as "isHosted"`);
  return found!.isHosted;
}

/** Whether the person, or an operator on their behalf, has confirmed the address. */
export async function isAddressConfirmed(db: Db, email: string): Promise<boolean> {
  const [person] = await db
    .select({ provenAt: people.emailProvenAt })
    .from(people)
    .where(eq(people.email, email));
  return typeof person?.provenAt === "string";
}
