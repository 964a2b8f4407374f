import { eq } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { type Factors, getFactors } from "./get-factors.ts";

/** Locks a person's factors until the transaction ends and returns them. */
export async function lockFactors(db: Db, email: string): Promise<Factors> {
  await db
    .select({ email: people.email })
    .from(people)
    .where(eq(people.email, email))
    .for("update");
  return getFactors(db, email);
}
