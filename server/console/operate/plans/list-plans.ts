import { z } from "zod";

import { listPlans as list } from "#server/core/operations/plans/plans.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { PlanRow, planRow } from "./plan-row.ts";

export const listPlans = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/plans",
  summary: "List plans by name with their number of companies",
  permission: "operator",
  privilege: null,
  response: z.object({ data: z.array(PlanRow) }),
  refusals: [],
  handle: async ({ ctx }) => ({ data: (await list(ctx.db)).map(planRow) }),
});
