import { eq } from "drizzle-orm";

import { plans } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { changeCompany } from "#server/core/operations/companies/change-company.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { type CompanyLimits, pickLimits, validateLimits } from "./limits.ts";

/**
 * Assigns a plan to the company, which gets the plan's limits now and whenever they change.
 *
 * @throws Refusal `not_found`
 */
export async function assignPlan(ctx: Context, planId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // Lock the plan before the company, as updatePlan does, so that its limits don't change before the commit.
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
 * Sets custom limits for the company and removes it from its plan.
 *
 * @throws Refusal `invalid`, with the limit's name first
 */
export async function setCustomLimits(ctx: Context, limits: CompanyLimits): Promise<void> {
  const to = validateLimits(limits);
  await changeCompany(ctx, (company) => ({
    set: { planId: null, ...to },
    action: "company.limits_changed",
    details: { from: pickLimits(company), to },
  }));
}
