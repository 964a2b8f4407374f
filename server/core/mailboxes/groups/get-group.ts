import type { Context } from "#server/core/shared/context.ts";

import { requireGroup } from "./internal/require-group.ts";
import { readShownGroup, type ShownGroup } from "./shown-group.ts";

/** @throws Refusal `not_found` */
export async function getGroup(ctx: Context, address: string): Promise<ShownGroup> {
  const group = await requireGroup(ctx, address);
  return readShownGroup(ctx, group.address);
}
