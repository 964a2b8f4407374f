import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { readAllowList } from "#server/core/access/api-keys/read-allow-list.ts";
import { isRangeInRanges } from "#server/core/access/api-keys/read-range.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";

/**
 * Replaces the company's allow-list for API keys. An empty list allows every address.
 *
 * @returns the list in canonical form, without duplicates
 * @throws Refusal `invalid` naming the first invalid entry; `invalid_permission` if only an owner can allow more addresses
 */
export async function changeAllowedAddresses(
  ctx: Context,
  { isOwner }: { isOwner: boolean },
  list: string[],
): Promise<string[]> {
  const to = readAllowList(list);
  await inTransaction(ctx, async (ctx) => {
    const { id, allowedAddresses: from } = await lockCompany(ctx);
    if (!isOwner && isWider(from, to)) throw onlyOwner("widen the allow-list");
    await ctx.db.update(companies).set({ allowedAddresses: to }).where(eq(companies.id, id));
    await recordAudit(ctx, "company.allowed_addresses_changed", { from, to });
  });
  return to;
}

const isWider = (from: string[], to: string[]) =>
  from.length > 0 && (to.length === 0 || !to.every((range) => isRangeInRanges(range, from)));

export const onlyOwner = (what: string) =>
  new Refusal("invalid_permission", `Only an owner can ${what}`);
