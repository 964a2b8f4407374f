import { sql } from "drizzle-orm";

import { type MtaStsPolicy, mtaStsPolicies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Keeps a policy that was fetched just now, in place of the domain's former one, until its `max_age` is
 * over. Twice is as good as once.
 */
export async function storePolicy(db: Db, policy: Omit<MtaStsPolicy, "expiresAt">): Promise<void> {
  const { domain, ...terms } = policy;
  const changing = {
    ...terms,
    expiresAt: sql`now() + ${terms.maxAgeSeconds} * interval '1 second'`,
  };
  await db
    .insert(mtaStsPolicies)
    .values({ domain, ...changing })
    .onConflictDoUpdate({ target: mtaStsPolicies.domain, set: changing });
}
