import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { requireNoPrivilegeEscalation } from "#server/core/access/privileges/require-no-privilege-escalation.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

import { moveUnit } from "./move-unit.ts";
import { renameUnit } from "./internal/rename-unit.ts";
import { setPolicies, type UnitPolicies } from "./set-policies.ts";
import { getSubtree } from "./internal/unit-depth.ts";

/** Omitted fields keep their values. */
export type UnitChange = {
  name?: string | undefined;
  /** The new parent. */
  parentId?: number | undefined;
  policies?: Partial<UnitPolicies>;
};

/**
 * Changes a unit, all fields or none.
 *
 * @throws Refusal as `moveUnit`, `renameUnit` and `setPolicies`; `invalid_permission` if `callerPrivileges` hold more
 *   privileges at the new place
 */
export async function updateUnit(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: number,
  { name, parentId, policies = {} }: UnitChange,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    if (parentId !== undefined) {
      await moveUnit(ctx, id, parentId);
      requireNoPrivilegeEscalation(callerPrivileges, (await getSubtree(ctx, id)).keys(), parentId);
    }
    if (name !== undefined) await renameUnit(ctx, id, name);
    if (Object.keys(policies).length > 0) await setPolicies(ctx, id, policies);
  });
}
