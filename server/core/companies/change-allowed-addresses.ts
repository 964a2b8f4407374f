import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { readRange } from "#server/core/api-keys/read-range.ts";
import { recordAudit } from "#server/core/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/context.ts";
import { Refusal } from "#server/core/refusals.ts";

/** Every call with a key of the company looks through the list. */
const ENTRIES_MAX = 200;

/**
 * Replaces the list of addresses and CIDR ranges that may use the company's keys, from the next call
 * on. An empty list allows all.
 *
 * @returns the list as kept: in canonical form, each entry once
 * @throws Refusal `invalid`, naming the entry that is neither an address nor a range
 */
export async function changeAllowedAddresses(ctx: Context, list: string[]): Promise<string[]> {
  if (list.length > ENTRIES_MAX)
    throw new Refusal("invalid", `The allow-list takes at most ${ENTRIES_MAX} entries`);
  const to = [...new Set(list.map(readEntry))];
  await inTransaction(ctx, async (ctx) => {
    const isIt = eq(companies.id, ctx.companyId);
    const [company] = await ctx.db
      .select({ from: companies.allowedAddresses })
      .from(companies)
      .where(isIt)
      .for("no key update");
    if (!company) throw new Error(`There is no company ${ctx.companyId}`);
    await ctx.db.update(companies).set({ allowedAddresses: to }).where(isIt);
    await recordAudit(ctx, "company.allowed_addresses_changed", { from: company.from, to });
  });
  return to;
}

function readEntry(text: string): string {
  const range = readRange(text.trim());
  if (range) return range;
  throw new Refusal(
    "invalid",
    `${JSON.stringify(text.slice(0, 80))} is neither an IP address nor a CIDR range`,
  );
}
