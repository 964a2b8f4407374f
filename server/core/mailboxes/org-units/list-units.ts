import { asc, eq, sql } from "drizzle-orm";

import { mailboxes, type OrgUnit, orgUnits } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import { ensureRootUnit } from "./ensure-root-unit.ts";

/** A unit with how many mailboxes it has itself, and how far below the root it is. */
export type ListedUnit = OrgUnit & { mailboxes: number; depth: number };

/** The company's units, all of them, at least the root: each behind the one it is under, those beside each other by name. */
export async function listUnits(ctx: Context): Promise<ListedUnit[]> {
  await ensureRootUnit(ctx.db, ctx.companyId);
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
  const under = (parentId: number | null, depth: number): ListedUnit[] =>
    (below.get(parentId) ?? []).flatMap((unit) => [
      { ...unit, depth },
      ...under(unit.id, depth + 1),
    ]);
  return under(null, 0);
}
