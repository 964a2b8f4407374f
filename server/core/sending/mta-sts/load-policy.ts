import { and, eq, gt, getTableColumns, sql } from "drizzle-orm";

import { type MtaStsPolicy, mtaStsPolicies } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export type CachedPolicy = MtaStsPolicy & {
  /** Half of its time is over: better to fetch it anew than to be without one when it ends. */
  needsRefresh: boolean;
};

/**
 * The MTA-STS policy that was last seen at the domain, as long as it holds (RFC 8461 §3.2, `max_age`).
 *
 * @param domain lowercase A-labels
 */
export async function loadPolicy(db: Db, domain: string): Promise<CachedPolicy | null> {
  const [policy] = await db
    .select({
      ...getTableColumns(mtaStsPolicies),
      needsRefresh: sql<boolean>`${mtaStsPolicies.expiresAt} - now() < ${mtaStsPolicies.maxAgeSeconds} * interval '0.5 seconds'`,
    })
    .from(mtaStsPolicies)
    .where(and(eq(mtaStsPolicies.domain, domain), gt(mtaStsPolicies.expiresAt, sql`now()`)));
  return policy ?? null;
}
