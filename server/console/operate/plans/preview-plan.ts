import { z } from "zod";

import { previewPlan as preview } from "#server/core/operations/plans/plans.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { PlanLimits, parseLimits } from "./plan-limits.ts";
import { PlanPath } from "./plan-row.ts";

export const previewPlan = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/plans/{id}/preview",
  summary: "Preview new limits: the number of affected companies and those over the limits",
  permission: "operator",
  privilege: null,
  params: PlanPath,
  body: PlanLimits,
  response: z.object({
    companies: z.number(),
    over: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        exceeded: z.array(z.enum(["recipients", "domains", "mailboxes"])),
      }),
    ),
    over_count: z.number(),
  }),
  refusals: [],
  async handle({ ctx, params, body }) {
    const { overCount, ...found } = await preview(ctx.db, params.id, parseLimits(body));
    return { ...found, over_count: overCount };
  },
});
