import { and, eq, isNull } from "drizzle-orm";

import { apiKeys } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { readKeyName } from "./internal/key-name.ts";

/**
 * Renames an active key of the company.
 *
 * @throws Refusal `invalid` for the name, `not_found`
 */
export async function renameApiKey(ctx: Context, id: string, newName: string): Promise<void> {
  const name = readKeyName(newName);
  await inTransaction(ctx, async (ctx) => {
    const isActiveKey = and(
      eq(apiKeys.id, id),
      eq(apiKeys.companyId, ctx.companyId),
      isNull(apiKeys.revokedAt),
    );
    const [key] = await ctx.db
      .select({ name: apiKeys.name })
      .from(apiKeys)
      .where(isActiveKey)
      .for("no key update");
    if (!key) throw new Refusal("not_found", "API key not found");
    await ctx.db.update(apiKeys).set({ name }).where(isActiveKey);
    await recordAudit(ctx, "api_key.renamed", { keyId: id, from: key.name, to: name });
  });
}
