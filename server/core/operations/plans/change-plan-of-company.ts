import { eq } from "drizzle-orm";

import { plans } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { changeCompany } from "#server/core/operations/companies/change-company.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { type Figures, figuresOf, readFigures } from "./figures.ts";

/**
 * Puts the company on a plan, whose figures it then has, also when the plan changes.
 *
 * @throws Refusal `not_found`
 */
export async function putOnPlan(ctx: Context, planId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // Before the company, as in a change of the plan: its figures stay until this is committed.
    const [plan] = await ctx.db.select().from(plans).where(eq(plans.id, planId)).for("share");
    if (!plan) throw new Refusal("not_found", "Plan not found");
    await changeCompany(ctx, (company) => ({
      set: { planId, ...figuresOf(plan) },
      action: "company.plan_changed",
      details: { plan: plan.name, from: figuresOf(company), to: figuresOf(plan) },
    }));
  });
}

/**
 * Gives the company figures of its own: it is on no plan from then on.
 *
 * @throws Refusal `invalid`, naming the figure first
 */
export async function giveOwnFigures(ctx: Context, figures: Figures): Promise<void> {
  const to = readFigures(figures);
  await changeCompany(ctx, (company) => ({
    set: { planId: null, ...to },
    action: "company.limits_changed",
    details: { from: figuresOf(company), to },
  }));
}
