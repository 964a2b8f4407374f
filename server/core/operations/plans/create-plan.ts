import { type Plan, plans } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";

import { type CompanyLimits, validateLimits } from "./limits.ts";
import { nameTakenError, readPlanName } from "./internal/plan-name.ts";

/**
 * Creates a plan.
 *
 * @param ctx of the appliance's own company
 * @throws Refusal `invalid`, `already_exists` for a name in use (case-insensitive)
 */
export async function createPlan(
  ctx: Context,
  input: CompanyLimits & { name: string },
): Promise<Plan> {
  const { name, limits } = readFields({
    name: () => readPlanName(input.name),
    limits: () => validateLimits(input),
  });
  return inTransaction(ctx, async (ctx) => {
    const [plan] = await ctx.db
      .insert(plans)
      .values({ name, ...limits })
      .onConflictDoNothing()
      .returning();
    if (!plan) throw nameTakenError();
    await recordAudit(ctx, "plan.created", { name, ...limits });
    return plan;
  });
}
