import { and, eq, getTableColumns, gt, lte, sql } from "drizzle-orm";

import { mtaStsPolicies, type MtaStsPolicy } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export type CachedPolicy = MtaStsPolicy & {
  /** More than half of its `max_age` has passed: fetch it again before it expires. */
  needsRefresh: boolean;
};

/**
 * Loads the cached MTA-STS policy of a domain while it is valid (RFC 8461 §3.2, `max_age`).
 *
 * @param domain lowercase A-labels
 */
export async function loadPolicy(db: Db, domain: string): Promise<CachedPolicy | null> {
  const [policy] = await db
    .select({
      ...getTableColumns(mtaStsPolicies),
      needsRefresh: sql<boolean>`${mtaStsPolicies.expiresAt} - statement_timestamp() < ${mtaStsPolicies.maxAgeSeconds} * interval '0.5 seconds'`,
    })
    .from(mtaStsPolicies)
    .where(
      and(
        eq(mtaStsPolicies.domain, domain),
        gt(mtaStsPolicies.expiresAt, sql`statement_timestamp()`),
      ),
    );
  return policy ?? null;
}

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

export async function deleteExpiredPolicies(db: Db): Promise<void> {
  await db.delete(mtaStsPolicies).where(lte(mtaStsPolicies.expiresAt, sql`statement_timestamp()`));
}
