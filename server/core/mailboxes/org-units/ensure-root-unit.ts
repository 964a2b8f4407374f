import { and, eq, isNull, sql } from "drizzle-orm";

import { orgUnits } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** Returns the id of a company's root unit, creating it if needed. Safe to call concurrently. */
export async function ensureRootUnit(ctx: CompanyScope): Promise<number> {
  const isRoot = and(eq(orgUnits.companyId, ctx.companyId), isNull(orgUnits.parentId));
  const [found] = await ctx.db.select({ id: orgUnits.id }).from(orgUnits).where(isRoot);
  if (found) return found.id;
  await ctx.db.execute(sql`
    insert into org_units (company_id, name)
    select id, left(name, 120) from companies where id = ${ctx.companyId}
    on conflict (company_id) where parent_id is null do nothing`);
  const [made] = await ctx.db.select({ id: orgUnits.id }).from(orgUnits).where(isRoot);
  if (!made) throw new Error(`There is no company ${ctx.companyId}`);
  return made.id;
}
