import type { Context } from "#server/core/shared/context.ts";
import { lock } from "#server/db/advisory-locks.ts";

/**
 * Serializes changes to admins and roles within a company, so that a privilege can't be revoked while its
 * holder grants it, and two owners can't remove each other. Take it before any row lock.
 */
export async function lockTeam(ctx: Context): Promise<void> {
  await lock(ctx.db, "team", ctx.companyId);
}
