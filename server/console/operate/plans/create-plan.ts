import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { applianceContext } from "#server/core/operations/companies/operators.ts";
import { createPlan as create } from "#server/core/operations/plans/plans.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { parseLimits } from "./plan-limits.ts";
import { PlanFields } from "./plan-row.ts";

export const createPlan = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/plans",
  summary: "Create a plan",
  permission: "operator",
  privilege: null,
  body: PlanFields,
  response: z.object({ id: z.uuid() }),
  refusals: ["invalid", "already_exists"],
  async handle(call) {
    const ctx = await applianceContext(currentOperator(call));
    const { id } = await create(ctx, { name: call.body.name, ...parseLimits(call.body) });
    return { id };
  },
});
