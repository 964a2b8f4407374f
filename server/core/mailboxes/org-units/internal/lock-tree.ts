import type { Context } from "#server/core/shared/context.ts";
import { lock } from "#server/db/advisory-locks.ts";

/**
 * Serializes changes to the company's unit tree: two moves that are each valid could create a cycle together.
 * Take it before any unit's row lock.
 */
export async function lockTree(ctx: Context): Promise<void> {
  await lock(ctx.db, "units", ctx.companyId);
}
