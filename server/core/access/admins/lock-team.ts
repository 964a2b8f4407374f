import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/**
 * Serializes changes to admins and roles within a company, so that a privilege can't be revoked while its
 * holder grants it, and two owners can't remove each other. Take it before any row lock.
 */
export async function lockTeam(ctx: Context): Promise<void> {
  const name = `team of ${ctx.companyId}`;
  await ctx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
