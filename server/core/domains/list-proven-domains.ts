import { and, asc, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";

/** Names of the company's domains whose ownership is proven, in order: where its addresses can be. */
export async function listProvenDomains(ctx: Context): Promise<string[]> {
  const proven = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), isNotNull(domains.ownershipProvenAt)))
    .orderBy(asc(domains.name));
  return proven.map(({ name }) => name);
}
