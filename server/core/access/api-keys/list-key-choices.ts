import { and, asc, eq, isNotNull } from "drizzle-orm";

import { companies, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** Keeps the menu to a usable length. */
const DOMAINS_MAX = 500;

/** What the form for a new key offers: the domains it can be restricted to, and the company's allow-list. */
export async function listKeyChoices(
  ctx: Context,
): Promise<{ domains: { id: string; name: string }[]; companyAddresses: string[] }> {
  const [company] = await ctx.db
    .select({ allowedAddresses: companies.allowedAddresses })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  const proven = await ctx.db
    .select({ id: domains.id, name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), isNotNull(domains.ownershipProvenAt)))
    .orderBy(asc(domains.name))
    .limit(DOMAINS_MAX);
  return { domains: proven, companyAddresses: company!.allowedAddresses };
}
