import { eq } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** The caller's company, which nobody else changes until the transaction ends. */
export async function lockCompany(ctx: Context): Promise<Company> {
  const [company] = await ctx.db
    .select()
    .from(companies)
    .where(eq(companies.id, ctx.companyId))
    .for("no key update");
  if (!company) throw new Error(`There is no company ${ctx.companyId}`);
  return company;
}
