import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/**
 * Waits until no other transaction changes the company's tree of units: two moves that are each right
 * could make a circle together. Taken before any unit's row.
 */
export async function lockTree(ctx: Context): Promise<void> {
  const name = `units of ${ctx.companyId}`;
  await ctx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
