import { eq, sql } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/**
 * The quota in MB of a new or changed mailbox: the requested one, else the default of its unit or nearest
 * ancestor, else the company's; capped by the plan.
 */
export async function resolveQuota(
  ctx: Context,
  { asked, unitId }: { asked: number | undefined; unitId: number },
): Promise<number> {
  const unitDefault = sql<number | null>`(
    with recursive up as (
      select id, parent_id, default_quota_mb, 0 as height from org_units where id = ${unitId}
      union all
      select u.id, u.parent_id, u.default_quota_mb, up.height + 1
      from org_units u join up on u.id = up.parent_id
    )
    select default_quota_mb from up where default_quota_mb is not null order by height limit 1)`;
  const [found] = await ctx.db
    .select({
      unitDefault,
      companyDefault: companies.defaultQuotaMb,
      max: companies.quotaMbMax,
    })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  const { unitDefault: ofUnit, companyDefault, max } = found!;
  return Math.min(asked ?? ofUnit ?? companyDefault, max ?? Infinity);
}
