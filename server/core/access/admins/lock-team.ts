import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/**
 * Waits until no other transaction changes who may do what in the company. Who gives a right still holds
 * it then, and of two owners who remove each other one stays. Taken before any row.
 */
export async function lockTeam(ctx: Context): Promise<void> {
  const name = `team of ${ctx.companyId}`;
  await ctx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
