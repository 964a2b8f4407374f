import { asc, eq, sql } from "drizzle-orm";

import { mailboxes, type OrgUnit, orgUnits } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import { ensureRootUnit } from "./ensure-root-unit.ts";

/** A unit with its own number of mailboxes and its distance from the root. */
export type ListedUnit = OrgUnit & { mailboxes: number; depth: number };

/**
 * Lists all units of the company, at least the root, in tree order: parents before children, siblings by
 * name.
 */
export async function listUnits(ctx: Context): Promise<ListedUnit[]> {
  await ensureRootUnit(ctx);
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
