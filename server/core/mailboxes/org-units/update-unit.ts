import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { requireNoGain } from "#server/core/access/rights/no-gain.ts";
import type { Rights } from "#server/core/access/rights/rights.ts";

import { moveUnit } from "./move-unit.ts";
import { renameUnit } from "./internal/rename-unit.ts";
import { setPolicies, type UnitPolicies } from "./set-policies.ts";
import { subtreeOf } from "./internal/unit-depth.ts";

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
 * @throws Refusal as `moveUnit`, `renameUnit` and `setPolicies`; `invalid_permission` where `rights` reach
 *   further at the new place
 */
export async function updateUnit(
  ctx: Context,
  rights: Rights,
  id: number,
  { name, parentId, policies = {} }: UnitChange,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    if (parentId !== undefined) {
      await moveUnit(ctx, id, parentId);
      requireNoGain(rights, (await subtreeOf(ctx, id)).keys(), parentId);
    }
    if (name !== undefined) await renameUnit(ctx, id, name);
    if (Object.keys(policies).length > 0) await setPolicies(ctx, id, policies);
  });
}
