import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { factorsOf, hasSecondFactor } from "#server/core/access/second-factors/factors-of.ts";

import { lockCompany } from "./lock-company.ts";

/**
 * Has every admin of the company need a second factor, or no more. Who has none can do nothing but set one
 * up, from their next request on.
 *
 * @param email who switches it: it would shut them out first
 * @throws Refusal `not_allowed` for somebody who has no second factor
 */
export async function requireSecondFactor(
  ctx: Context,
  { isRequired, email }: { isRequired: boolean; email: string },
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { secondFactorRequired: was } = await lockCompany(ctx);
    if (was === isRequired) return;
    if (isRequired && !hasSecondFactor(await factorsOf(ctx.db, email)))
      throw new Refusal("not_allowed", "Set up a second factor for yourself first");
    await ctx.db
      .update(companies)
      .set({ secondFactorRequired: isRequired })
      .where(eq(companies.id, ctx.companyId));
    const action = isRequired ? "company.second_factor_required" : "company.second_factor_optional";
    await recordAudit(ctx, action, {});
  });
}
