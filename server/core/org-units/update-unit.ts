import { type Context, inTransaction } from "#server/core/context.ts";

import { moveUnit } from "./move-unit.ts";
import { renameUnit } from "./rename-unit.ts";
import { setPolicies, type UnitPolicies } from "./set-policies.ts";

/** What is left out stays. */
export type UnitChange = {
  name?: string | undefined;
  /** The unit that it is to be under. */
  parentId?: number | undefined;
  policies?: Partial<UnitPolicies>;
};

/**
 * Changes a unit, all that is asked for or nothing.
 *
 * @throws Refusal as `moveUnit`, `renameUnit` and `setPolicies`
 */
export async function updateUnit(
  ctx: Context,
  id: number,
  { name, parentId, policies = {} }: UnitChange,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    if (parentId !== undefined) await moveUnit(ctx, id, parentId);
    if (name !== undefined) await renameUnit(ctx, id, name);
    if (Object.keys(policies).length > 0) await setPolicies(ctx, id, policies);
  });
}
