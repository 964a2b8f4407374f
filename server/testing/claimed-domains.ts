import { and, eq, sql } from "drizzle-orm";

import { domainClaims, domains } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

/** Backdates a company's claim on a name, and its domain, by some days. */
export async function backdateClaim(
  { companyId, name }: { companyId: string; name: string },
  days: number,
): Promise<void> {
  const ago = sql`make_interval(secs => ${days * 86_400})`;
  await db()
    .update(domainClaims)
    .set({
      claimedAt: sql`${domainClaims.claimedAt} - ${ago}`,
      refusedAt: sql`${domainClaims.refusedAt} - ${ago}`,
    })
    .where(and(eq(domainClaims.companyId, companyId), eq(domainClaims.name, name)));
  await db()
    .update(domains)
    .set({ createdAt: sql`${domains.createdAt} - ${ago}` })
    .where(and(eq(domains.companyId, companyId), eq(domains.name, name)));
}
