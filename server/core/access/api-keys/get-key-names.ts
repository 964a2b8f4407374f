import { and, eq, inArray } from "drizzle-orm";

import { apiKeys } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** Maps key ids to names, including revoked keys; ids of other companies are left out. */
export async function getKeyNames(ctx: Context, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.companyId, ctx.companyId), inArray(apiKeys.id, [...new Set(ids)])));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
