import type { Context } from "#server/core/context.ts";

import { requireGroup } from "./require-group.ts";
import { type ShownGroup, withMembers } from "./shown-group.ts";

/**
 * A group of the company.
 *
 * @throws Refusal `not_found`
 */
export async function getGroup(ctx: Context, address: string): Promise<ShownGroup> {
  const [shown] = await withMembers(ctx.db, [await requireGroup(ctx, address)]);
  return shown!;
}
