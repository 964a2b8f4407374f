import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/**
 * Serializes changes to the company's unit tree: two moves that are each valid could create a cycle together.
 * Take it before any unit's row lock.
 */
export async function lockTree(ctx: Context): Promise<void> {
  const name = `units of ${ctx.companyId}`;
  await ctx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
