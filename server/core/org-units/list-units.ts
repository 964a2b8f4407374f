import { asc, eq, sql } from "drizzle-orm";

import { mailboxes, type OrgUnit, orgUnits } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";

/** A unit with how many mailboxes it has itself. */
export type ListedUnit = OrgUnit & { mailboxes: number };

/** The company's units, all of them: each behind the one it is under, those beside each other by name. */
export async function listUnits(ctx: Context): Promise<ListedUnit[]> {
  const units = await ctx.db
    .select({
      unit: orgUnits,
      mailboxes: sql<number>`(
        select count(*)::int from ${mailboxes} where ${mailboxes.orgUnitId} = ${orgUnits.id})`,
    })
    .from(orgUnits)
    .where(eq(orgUnits.companyId, ctx.companyId))
    .orderBy(asc(sql`lower(${orgUnits.name})`), asc(orgUnits.id));
  const below = Map.groupBy(
    units.map(({ unit, mailboxes }) => ({ ...unit, mailboxes })),
    ({ parentId }) => parentId,
  );
  const withBelow = (unit: ListedUnit): ListedUnit[] => [
    unit,
    ...(below.get(unit.id) ?? []).flatMap(withBelow),
  ];
  return (below.get(null) ?? []).flatMap(withBelow);
}
