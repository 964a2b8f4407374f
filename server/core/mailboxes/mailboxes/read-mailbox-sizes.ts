import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** The company's default quota and the plan's maximum, in MB; null for no limit. */
export async function readMailboxSizes(
  ctx: Context,
): Promise<{ defaultQuotaMb: number; quotaMbMax: number | null }> {
  const [sizes] = await ctx.db
    .select({ defaultQuotaMb: companies.defaultQuotaMb, quotaMbMax: companies.quotaMbMax })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  return sizes!;
}
