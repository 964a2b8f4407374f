import { eq } from "drizzle-orm";

import { orgUnits } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockTree } from "./internal/lock-tree.ts";
import { requireUnit, lockUnit } from "./require-unit.ts";
import { getUnitDepth, LEVELS_MAX, getSubtree } from "./internal/unit-depth.ts";
import { requireFreeName } from "./internal/unit-name.ts";

/**
 * Moves a unit with its descendants below another one, from which it then inherits policies and roles.
 *
 * @throws Refusal `not_found`; `invalid` for the root, for a parent of another company, and for a parent
 *   within the unit itself; `already_exists` for a name in use there; `not_allowed` at the maximum depth
 */
export async function moveUnit(ctx: Context, id: number, parentId: number): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTree(ctx);
    const unit = await lockUnit(ctx, id);
    if (unit.parentId === null) throw new Refusal("invalid", "The root unit can't be moved");
    const parent = await requireUnit(ctx, parentId);
    if (unit.parentId === parent) return;
    const subtree = await getSubtree(ctx, id);
    if (subtree.has(parent))
      throw new Refusal("invalid", "A unit can't be moved into itself or a unit below it", {
        field: "parent_id",
      });
    if ((await getUnitDepth(ctx, parent)) + Math.max(...subtree.values()) > LEVELS_MAX)
      throw new Refusal("not_allowed", `Units can be nested at most ${LEVELS_MAX} levels deep`);
    await requireFreeName(ctx, { name: unit.name, parentId: parent, field: "parent_id" });
    await ctx.db.update(orgUnits).set({ parentId: parent }).where(eq(orgUnits.id, id));
    await recordAudit(ctx, "unit.moved", { unit: id, from: unit.parentId, to: parent });
  });
}
