import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/** Levels including the root's. Limits the work of resolving policies. */
export const LEVELS_MAX = 10;

/** A unit's level in the tree; the root's is 1. */
export async function getUnitDepth(ctx: Context, unitId: number): Promise<number> {
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

/** A unit and its descendants by id, with levels relative to the unit, which is at 1. */
export async function getSubtree(ctx: Context, unitId: number): Promise<Map<number, number>> {
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
