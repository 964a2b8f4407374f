import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** The company's usual size of a mailbox and the largest that its plan allows, in MB; null for no limit. */
export async function readMailboxSizes(
  ctx: Context,
): Promise<{ defaultQuotaMb: number; quotaMbMax: number | null }> {
  const [sizes] = await ctx.db
    .select({ defaultQuotaMb: companies.defaultQuotaMb, quotaMbMax: companies.quotaMbMax })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  return sizes!;
}
