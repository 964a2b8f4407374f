import { lte, sql } from "drizzle-orm";

import { mtaStsPolicies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export async function deleteExpiredPolicies(db: Db): Promise<void> {
  await db.delete(mtaStsPolicies).where(lte(mtaStsPolicies.expiresAt, sql`statement_timestamp()`));
}
