import { z } from "zod";

import { applianceContext } from "#server/core/operations/companies/operators.ts";
import {
  createPlan,
  deletePlan,
  listPlans,
  pickLimits,
  previewPlan,
  updatePlan,
} from "#server/core/operations/plans/plans.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

import { currentOperator } from "./operate.ts";

const limit = z.number().nullable();

/** The limits of a plan or company; null for unlimited. `validateLimits` checks them. */
export const PlanLimits = z.object({
  monthlyAllowance: limit.describe("Recipients per calendar month (UTC)"),
  domainsMax: limit,
  mailboxesMax: limit,
  quotaMbMax: limit.describe("Maximum storage limit of a mailbox"),
  defaultQuotaMb: z.number(),
});

const PlanFields = PlanLimits.extend({ name: z.string() });

const PlanPath = z.object({ id: z.uuid() });

const NOT_FOUND = "Plan not found";

/** Plans, and the limits they set, for operators. */
export const plansConsole = pageEndpoints("console", "plans", {
  list: read({
    permission: "operator",
    privilege: null,
    handle: async ({ ctx }) => ({
      data: (await listPlans(ctx.db)).map((plan) => ({
        id: plan.id,
        name: plan.name,
        companies: plan.companies,
        ...pickLimits(plan),
      })),
    }),
  }),

  create: change({
    permission: "operator",
    privilege: null,
    body: PlanFields,
    async handle(call) {
      const ctx = await applianceContext(currentOperator(call));
      const { id } = await createPlan(ctx, call.body);
      return { id };
    },
  }),

  update: change({
    permission: "operator",
    privilege: null,
    params: PlanPath,
    notFound: NOT_FOUND,
    body: PlanFields,
    async handle(call) {
      const ctx = await applianceContext(currentOperator(call));
      return { companies: await updatePlan(ctx, call.params.id, call.body) };
    },
  }),

  preview: change({
    permission: "operator",
    privilege: null,
    params: PlanPath,
    body: PlanLimits,
    handle: ({ ctx, params, body }) => previewPlan(ctx.db, params.id, body),
  }),

  delete: change({
    permission: "operator",
    privilege: null,
    params: PlanPath,
    notFound: NOT_FOUND,
    async handle(call) {
      await deletePlan(await applianceContext(currentOperator(call)), call.params.id);
      return { deleted: true as const };
    },
  }),
});
