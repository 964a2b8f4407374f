import { eq } from "drizzle-orm";

import { companies, plans } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Deletes a plan that no company is on.
 *
 * @param ctx of the appliance's own company
 * @throws Refusal `not_found`, `resource_in_use`
 */
export async function deletePlan(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const [plan] = await ctx.db.select().from(plans).where(eq(plans.id, id)).for("update");
    if (!plan) throw new Refusal("not_found", "Plan not found");
    const onIt = await ctx.db.$count(companies, eq(companies.planId, id));
    if (onIt > 0)
      throw new Refusal(
        "resource_in_use",
        `${pluralize(onIt, "company is", "companies are")} on ${plan.name}. Assign ${onIt === 1 ? "it" : "them"} another plan first`,
      );
    await ctx.db.delete(plans).where(eq(plans.id, id));
    await recordAudit(ctx, "plan.deleted", { name: plan.name });
  });
}
