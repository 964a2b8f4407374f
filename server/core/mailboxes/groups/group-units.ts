import { and, eq, inArray, sql } from "drizzle-orm";

import { groupUnits, orgUnits } from "#drizzle/schema/index.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudits } from "#server/core/shared/audit/record-audit.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { restoreRows } from "#server/core/shared/deleted-items/deleted-items.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const UNITS_MAX = 20;

/**
 * Makes units members of a locked group: their mailboxes, and those in the units below, receive its mail as long as they are there.
 *
 * @throws Refusal `invalid` for a unit that the company doesn't have, or for too many; `invalid_permission` as `requireMayOpen`
 */
export async function addUnits(ctx: Context, group: string, units: number[]): Promise<void> {
  if (units.length === 0) return;
  await requireMayOpen(ctx, [group]);
  const known = await lockUnits(ctx);
  if (units.some((unit) => !known.has(unit))) throw new Refusal("invalid", "units: no such unit");
  const added = await ctx.db
    .insert(groupUnits)
    .values(units.map((orgUnitId) => ({ groupAddress: group, orgUnitId })))
    .onConflictDoNothing()
    .returning({ unit: groupUnits.orgUnitId });
  if ((await ctx.db.$count(groupUnits, eq(groupUnits.groupAddress, group))) > UNITS_MAX)
    throw new Refusal("invalid", `units: a group can have at most ${UNITS_MAX} units`);
  const entries = added.map(({ unit }) => ({ group, unit, name: known.get(unit) }));
  await recordAudits(ctx, "group.unit_added", entries);
}

/** Call in `inRevokingTransaction`. */
export async function removeUnits(ctx: Context, group: string, units: number[]): Promise<void> {
  const known = await lockUnits(ctx);
  const removed = await ctx.db
    .delete(groupUnits)
    .where(and(eq(groupUnits.groupAddress, group), inArray(groupUnits.orgUnitId, units)))
    .returning({ unit: groupUnits.orgUnitId });
  const entries = removed.map(({ unit }) => ({ group, unit, name: known.get(unit) }));
  await recordAudits(ctx, "group.unit_removed", entries);
}

/** Restores the units of deleted groups that exist again, as far as the units still exist. */
export async function restoreUnitsOfGroups(ctx: Context, itemId: string): Promise<void> {
  await lockUnits(ctx);
  await restoreRows(ctx.db, itemId, groupUnits, {
    where: sql`kept.group_address in (select address from groups where company_id = d.company_id)
      and kept.org_unit_id in (select id from org_units where company_id = d.company_id)`,
  });
}

/** The names of the company's units, locked against deletion. */
async function lockUnits({ db, companyId }: CompanyScope): Promise<Map<number, string>> {
  const rows = await db
    .select({ id: orgUnits.id, name: orgUnits.name })
    .from(orgUnits)
    .where(eq(orgUnits.companyId, companyId))
    .orderBy(orgUnits.id)
    .for("key share");
  return new Map(rows.map(({ id, name }) => [id, name]));
}
