import { eq } from "drizzle-orm";

import { plans } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { changeCompany } from "#server/core/operations/companies/change-company.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { type CompanyLimits, pickLimits, validateLimits } from "./limits.ts";

/**
 * Puts the company on a plan, whose limits it then has, also when the plan changes.
 *
 * @throws Refusal `not_found`
 */
export async function assignPlan(ctx: Context, planId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // Before the company, as in a change of the plan: its limits stay until this is committed.
    const [plan] = await ctx.db.select().from(plans).where(eq(plans.id, planId)).for("share");
    if (!plan) throw new Refusal("not_found", "Plan not found");
    await changeCompany(ctx, (company) => ({
      set: { planId, ...pickLimits(plan) },
      action: "company.plan_changed",
      details: { plan: plan.name, from: pickLimits(company), to: pickLimits(plan) },
    }));
  });
}

/**
 * Gives the company limits of its own: it is on no plan from then on.
 *
 * @throws Refusal `invalid`, naming the figure first
 */
export async function setCustomLimits(ctx: Context, limits: CompanyLimits): Promise<void> {
  const to = validateLimits(limits);
  await changeCompany(ctx, (company) => ({
    set: { planId: null, ...to },
    action: "company.limits_changed",
    details: { from: pickLimits(company), to },
  }));
}
