import { and, asc, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** The company's first domain that can send, for working code examples; null if there is none. */
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
