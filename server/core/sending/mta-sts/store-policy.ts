import { sql } from "drizzle-orm";

import { type MtaStsPolicy, mtaStsPolicies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Stores a policy just fetched, replacing the domain's previous one, until its `max_age` ends. */
export async function storePolicy(db: Db, policy: Omit<MtaStsPolicy, "expiresAt">): Promise<void> {
  const { domain, ...terms } = policy;
  const changing = {
    ...terms,
    expiresAt: sql`clock_timestamp() + ${terms.maxAgeSeconds} * interval '1 second'`,
  };
  await db
    .insert(mtaStsPolicies)
    .values({ domain, ...changing })
    .onConflictDoUpdate({ target: mtaStsPolicies.domain, set: changing });
}
