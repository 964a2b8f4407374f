import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { applianceContext } from "#server/core/operations/companies/operators.ts";
import { deletePlan as remove } from "#server/core/operations/plans/plans.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, PlanPath } from "./plan-row.ts";

export const deletePlan = defineEndpoint({
  method: "DELETE",
  path: "/console/api/operate/plans/{id}",
  summary: "Delete an unused plan",
  permission: "operator",
  privilege: null,
  params: PlanPath,
  notFound: NOT_FOUND,
  response: z.object({ deleted: z.literal(true) }),
  refusals: ["not_found", "resource_in_use"],
  async handle(call) {
    await remove(await applianceContext(currentOperator(call)), call.params.id);
    return { deleted: true as const };
  },
});
