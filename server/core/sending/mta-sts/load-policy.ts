import { and, eq, gt, getTableColumns, sql } from "drizzle-orm";

import { type MtaStsPolicy, mtaStsPolicies } from "#drizzle/schema/index.ts";
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
