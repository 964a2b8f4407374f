import { z } from "zod";

import { applianceContext } from "#server/core/operations/companies/operators.ts";
import {
  type CompanyLimits,
  createPlan,
  deletePlan,
  type ListedPlan,
  listPlans,
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

export function presentLimits(figures: CompanyLimits) {
  return {
    monthlyAllowance: figures.monthlyAllowance,
    domainsMax: figures.domainsMax,
    mailboxesMax: figures.mailboxesMax,
    quotaMbMax: figures.quotaMbMax,
    defaultQuotaMb: figures.defaultQuotaMb,
  };
}

export function parseLimits(figures: z.output<typeof PlanLimits>): CompanyLimits {
  return {
    monthlyAllowance: figures.monthlyAllowance,
    domainsMax: figures.domainsMax,
    mailboxesMax: figures.mailboxesMax,
    quotaMbMax: figures.quotaMbMax,
    defaultQuotaMb: figures.defaultQuotaMb,
  };
}

const PlanPath = z.object({ id: z.uuid() });

const NOT_FOUND = "Plan not found";

const PlanFields = PlanLimits.extend({ name: z.string() });

function planRow(plan: ListedPlan) {
  const { id, name, companies } = plan;
  return { id, name, companies, ...presentLimits(plan) };
}

export const plansConsole = pageEndpoints("console", "plans", {
  list: read({
    permission: "operator",
    privilege: null,
    handle: async ({ ctx }) => ({ data: (await listPlans(ctx.db)).map(planRow) }),
  }),

  create: change({
    permission: "operator",
    privilege: null,
    body: PlanFields,
    async handle(call) {
      const ctx = await applianceContext(currentOperator(call));
      const { id } = await createPlan(ctx, { name: call.body.name, ...parseLimits(call.body) });
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
      const fields = { name: call.body.name, ...parseLimits(call.body) };
      return { companies: await updatePlan(ctx, call.params.id, fields) };
    },
  }),

  preview: change({
    permission: "operator",
    privilege: null,
    params: PlanPath,
    body: PlanLimits,
    async handle({ ctx, params, body }) {
      const { overCount, ...found } = await previewPlan(ctx.db, params.id, parseLimits(body));
      return { ...found, overCount };
    },
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
