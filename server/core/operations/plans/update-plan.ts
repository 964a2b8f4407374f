import { and, eq, ne, sql } from "drizzle-orm";

import { companies, plans } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { type CompanyLimits, pickLimits, validateLimits } from "./limits.ts";
import { nameTakenError, readPlanName } from "./internal/plan-name.ts";

/**
 * Updates a plan and the limits of every company on it in one transaction, with an entry in each company's audit log.
 * Companies over a new limit keep what they have, but can't add more.
 *
 * @param ctx of the appliance's own company
 * @returns the number of companies with the new limits
 * @throws Refusal `not_found`, `invalid`, `already_exists`
 */
export async function updatePlan(
  ctx: Context,
  id: string,
  input: CompanyLimits & { name: string },
): Promise<number> {
  const name = readPlanName(input.name);
  const to = validateLimits(input);
  return inTransaction(ctx, async (ctx) => {
    const [plan] = await ctx.db.select().from(plans).where(eq(plans.id, id)).for("update");
    if (!plan) throw new Refusal("not_found", "Plan not found");
    await requireFreeName(ctx, id, name);
    await ctx.db
      .update(plans)
      .set({ name, ...to })
      .where(eq(plans.id, id));
    const from = pickLimits(plan);
    await recordAudit(ctx, "plan.changed", { name, from, to });
    const onIt = await lockCompanies(ctx, id);
    if (onIt.length === 0) return 0;
    await ctx.db.update(companies).set(to).where(eq(companies.planId, id));
    for (const companyId of onIt)
      await recordAudit({ ...ctx, companyId }, "company.plan_changed", { plan: name, from, to });
    return onIt.length;
  });
}

async function requireFreeName({ db }: Context, id: string, name: string): Promise<void> {
  const [taken] = await db
    .select({ id: plans.id })
    .from(plans)
    .where(and(sql`lower(${plans.name}) = lower(${name})`, ne(plans.id, id)));
  if (taken) throw nameTakenError();
}

/** Locks by id, the lock order of companies everywhere. */
async function lockCompanies({ db }: Context, planId: string): Promise<string[]> {
  const rows = await db
    .select({ id: companies.id })
    .from(companies)
    .where(eq(companies.planId, planId))
    .orderBy(companies.id)
    .for("no key update");
  return rows.map(({ id }) => id);
}
