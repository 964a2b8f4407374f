import { and, eq } from "drizzle-orm";

import { admins, apiKeys } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { revokeKeys } from "./revoke-api-key.ts";

/**
 * Revokes every key an admin created. Call in the transaction that removes the admin.
 *
 * @returns the ids of the revoked keys
 */
export function revokeAdminKeys(ctx: Context, adminId: string): Promise<string[]> {
  return inTransaction(ctx, async (ctx) => {
    // Creating a key locks the creator's row: one in progress commits first and is revoked with the
    // others, or waits until the admin is gone.
    await ctx.db
      .select({ id: admins.id })
      .from(admins)
      .where(and(eq(admins.id, adminId), eq(admins.companyId, ctx.companyId)))
      .for("update");
    return revokeKeys(ctx, eq(apiKeys.creatorId, adminId));
  });
}
