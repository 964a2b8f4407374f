import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/** Levels of units, the root's included. What holds for a mailbox is looked up level by level. */
export const LEVELS_MAX = 10;

/** On which level of the tree a unit is; the root is on the first. */
export async function depthOf(ctx: Context, unitId: number): Promise<number> {
  const [row] = await ctx.db.execute<{ depth: number }>(sql`
    with recursive up as (
      select id, parent_id from org_units
      where id = ${unitId} and company_id = ${ctx.companyId}
      union all
      select u.id, u.parent_id from org_units u join up on u.id = up.parent_id
    )
    select count(*)::int as depth from up`);
  return row!.depth;
}

/** A unit and all below it, by id, each with its level under the unit, which is on the first. */
export async function subtreeOf(ctx: Context, unitId: number): Promise<Map<number, number>> {
  const rows = await ctx.db.execute<{ id: number; level: number }>(sql`
    with recursive below as (
      select id, 1 as level from org_units
      where id = ${unitId} and company_id = ${ctx.companyId}
      union all
      select u.id, below.level + 1 from org_units u join below on u.parent_id = below.id
    )
    select id, level from below`);
  return new Map(rows.map(({ id, level }) => [id, level]));
}
