import { eq } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import type { FactorAccount } from "./factor-owner.ts";
import { factorTables } from "./internal/factor-tables.ts";
import { type Factors, getFactors } from "./get-factors.ts";

/** Locks an account's factors until the transaction ends and returns them. */
export async function lockFactors(db: Db, account: FactorAccount): Promise<Factors> {
  const { accounts } = factorTables(account);
  await db
    .select({ email: accounts.email })
    .from(accounts)
    .where(eq(accounts.email, account.email))
    .for("update");
  return getFactors(db, account);
}
