import { and, eq } from "drizzle-orm";

import { type OrgUnit, orgUnits } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { ensureRootUnit } from "./ensure-root-unit.ts";

/** The column is an int4. */
const ID_MAX = 2_147_483_647;

/**
 * Returns the id of a unit that something is being added to, locked against deletion until the transaction
 * ends.
 *
 * @param id null for the company's root unit
 * @throws Refusal `invalid` if it isn't a unit of the company
 */
export async function requireUnit(ctx: Context, id: number | null): Promise<number> {
  const wanted = id ?? (await ensureRootUnit(ctx));
  const [unit] = isId(wanted) ? await select(ctx, wanted).for("key share") : [];
  if (!unit) throw new Refusal("invalid", "org_unit_id: is not a unit of the company");
  return unit.id;
}

/**
 * Locks a unit of the company against any change or addition until the transaction ends.
 *
 * @throws Refusal `not_found`
 */
export async function lockUnit(ctx: Context, id: number): Promise<OrgUnit> {
  const [unit] = isId(id) ? await select(ctx, id).for("update") : [];
  if (!unit) throw new Refusal("not_found", "Unit not found");
  return unit;
}

const isId = (id: number) => Number.isInteger(id) && id > 0 && id <= ID_MAX;

const select = (ctx: Context, id: number) =>
  ctx.db
    .select()
    .from(orgUnits)
    .where(and(eq(orgUnits.id, id), eq(orgUnits.companyId, ctx.companyId)));
