import { and, asc, eq } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** Lists the company's verified domains, in which addresses can be created, by name. */
export async function listVerifiedDomains(ctx: Context): Promise<string[]> {
  const verified = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), eq(domains.status, "verified")))
    .orderBy(asc(domains.name));
  return verified.map(({ name }) => name);
}
