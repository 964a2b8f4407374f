import { and, asc, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** The name of the company's first domain that may send, for examples that work; null while it has none. */
export async function findSendingDomain(ctx: Context): Promise<string | null> {
  const [domain] = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .where(
      and(
        eq(domains.companyId, ctx.companyId),
        eq(domains.status, "verified"),
        isNotNull(domains.ownershipProvenAt),
      ),
    )
    .orderBy(asc(domains.createdAt))
    .limit(1);
  return domain?.name ?? null;
}
