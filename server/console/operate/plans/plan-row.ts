import { z } from "zod";

import type { ListedPlan } from "#server/core/operations/plans/plans.ts";

import { PlanLimits, presentLimits } from "./plan-limits.ts";

export const PlanPath = z.object({ id: z.uuid() });
export const NOT_FOUND = "Plan not found";

export const PlanFields = PlanLimits.extend({ name: z.string() });
export const PlanRow = PlanFields.extend({
  id: z.uuid(),
  companies: z.number().describe("Number of companies on the plan"),
});

export function planRow(plan: ListedPlan): z.input<typeof PlanRow> {
  const { id, name, companies } = plan;
  return { id, name, companies, ...presentLimits(plan) };
}
