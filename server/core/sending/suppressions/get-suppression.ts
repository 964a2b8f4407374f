import { type Suppression, suppressions } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import { byIdOrAddress, suppressionNotFound } from "./internal/by-id-or-address.ts";

/**
 * Returns a suppression of the company by id or address.
 *
 * @throws Refusal `not_found`
 */
export async function getSuppression(ctx: Context, idOrAddress: string): Promise<Suppression> {
  const [found] = await ctx.db.select().from(suppressions).where(byIdOrAddress(ctx, idOrAddress));
  if (!found) throw suppressionNotFound();
  return found;
}
