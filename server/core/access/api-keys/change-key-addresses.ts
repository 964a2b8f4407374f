import { and, eq, isNull } from "drizzle-orm";

import { apiKeys } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { readAllowList } from "./read-allow-list.ts";

/**
 * Replaces the allow-list of an active key, which applies in addition to the company's. An empty list allows
 * every address.
 *
 * @returns the list in canonical form
 * @throws Refusal `invalid` for an entry, `not_found`
 */
export async function changeKeyAddresses(
  ctx: Context,
  id: string,
  list: string[],
): Promise<string[]> {
  const to = readAllowList(list);
  await inTransaction(ctx, async (ctx) => {
    const isActiveKey = and(
      eq(apiKeys.id, id),
      eq(apiKeys.companyId, ctx.companyId),
      isNull(apiKeys.revokedAt),
    );
    const [key] = await ctx.db
      .select({ name: apiKeys.name, from: apiKeys.allowedAddresses })
      .from(apiKeys)
      .where(isActiveKey)
      .for("no key update");
    if (!key) throw new Refusal("not_found", "API key not found");
    await ctx.db.update(apiKeys).set({ allowedAddresses: to }).where(isActiveKey);
    const { name, from } = key;
    await recordAudit(ctx, "api_key.allowed_addresses_changed", { keyId: id, name, from, to });
  });
  return to;
}
