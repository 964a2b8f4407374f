import { orgUnits } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockTree } from "./internal/lock-tree.ts";
import { requireUnit } from "./require-unit.ts";
import { getUnitDepth, LEVELS_MAX } from "./internal/unit-depth.ts";
import { readUnitName, requireFreeName } from "./internal/unit-name.ts";

/**
 * Creates a unit below another one, whose policies it inherits.
 *
 * @param parentId null for the root
 * @returns its id
 * @throws Refusal `invalid` for the name or the parent, `already_exists` for a name in use there,
 *   `not_allowed` at the maximum depth
 */
export async function createUnit(
  ctx: Context,
  input: { parentId: number | null; name: string },
): Promise<number> {
  const name = readUnitName(input.name);
  return inTransaction(ctx, async (ctx) => {
    await lockTree(ctx);
    const parentId = await requireUnit(ctx, input.parentId);
    if ((await getUnitDepth(ctx, parentId)) >= LEVELS_MAX)
      throw new Refusal("not_allowed", `Units can be nested at most ${LEVELS_MAX} levels deep`);
    await requireFreeName(ctx, { name, parentId });
    const [unit] = await ctx.db
      .insert(orgUnits)
      .values({ companyId: ctx.companyId, parentId, name })
      .returning({ id: orgUnits.id });
    await recordAudit(ctx, "unit.created", { unit: unit!.id, name, parent: parentId });
    return unit!.id;
  });
}
