import { and, eq } from "drizzle-orm";

import { admins, apiKeys } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { revokeKeys } from "./revoke-api-key.ts";

/**
 * Revokes every key that an admin of the company created, as their removal asks for: the emails those
 * keys scheduled are canceled, and the audit log names each key. Called in the transaction that removes
 * the admin.
 *
 * @returns the ids of the revoked keys
 */
export function revokeKeysOf(ctx: Context, adminId: string): Promise<string[]> {
  return inTransaction(ctx, async (ctx) => {
    // A key that is being made for this person refers to the row: it is committed first and revoked
    // with the others, or waits for what becomes of the admin.
    await ctx.db
      .select({ id: admins.id })
      .from(admins)
      .where(and(eq(admins.id, adminId), eq(admins.companyId, ctx.companyId)))
      .for("update");
    return revokeKeys(ctx, eq(apiKeys.creatorId, adminId));
  });
}
