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
import { operatorChange, operatorRead, pageEndpoints, pathOf } from "#server/http/endpoint.ts";

import { currentOperator } from "./operate.ts";

const limit = z.number().nullable();

/** The limits of a plan or company; null for unlimited. `validateLimits` checks them. */
export const PlanLimits = z.object({
  /** Recipients per calendar month (UTC). */
  monthlyAllowance: limit,
  domainsMax: limit,
  mailboxesMax: limit,
  /** Maximum storage limit of a mailbox. */
  quotaMbMax: limit,
  defaultQuotaMb: z.number(),
});

const PlanFields = PlanLimits.extend({ name: z.string() });

const PlanPath = pathOf("Plan not found", { id: z.uuid() });

/** Plans, and the limits they set, for operators. */
export const plansConsole = pageEndpoints("console", "plans", {
  list: operatorRead({
    handle: async ({ ctx }) => ({
      data: (await listPlans(ctx.db)).map((plan) => ({
        id: plan.id,
        name: plan.name,
        companies: plan.companies,
        ...pickLimits(plan),
      })),
    }),
  }),

  create: operatorChange({
    body: PlanFields,
    async handle(call) {
      const ctx = await applianceContext(currentOperator(call));
      const { id } = await createPlan(ctx, call.body);
      return { id };
    },
  }),

  update: operatorChange({
    params: PlanPath,
    body: PlanFields,
    async handle(call) {
      const ctx = await applianceContext(currentOperator(call));
      return { companies: await updatePlan(ctx, call.params.id, call.body) };
    },
  }),

  preview: operatorChange({
    params: PlanPath,
    body: PlanLimits,
    handle: ({ ctx, params, body }) => previewPlan(ctx.db, params.id, body),
  }),

  delete: operatorChange({
    params: PlanPath,
    async handle(call) {
      await deletePlan(await applianceContext(currentOperator(call)), call.params.id);
      return { deleted: true as const };
    },
  }),
});
