import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { applianceContext } from "#server/core/operations/companies/operators.ts";
import { updatePlan as update } from "#server/core/operations/plans/plans.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { parseLimits } from "./plan-limits.ts";
import { NOT_FOUND, PlanFields, PlanPath } from "./plan-row.ts";

export const updatePlan = defineEndpoint({
  method: "PATCH",
  path: "/console/api/operate/plans/{id}",
  summary: "Update a plan and every company on it",
  permission: "operator",
  privilege: null,
  params: PlanPath,
  notFound: NOT_FOUND,
  body: PlanFields,
  response: z.object({ companies: z.number().describe("Number of updated companies") }),
  refusals: ["not_found", "invalid", "already_exists"],
  async handle(call) {
    const ctx = await applianceContext(currentOperator(call));
    const fields = { name: call.body.name, ...parseLimits(call.body) };
    return { companies: await update(ctx, call.params.id, fields) };
  },
});
