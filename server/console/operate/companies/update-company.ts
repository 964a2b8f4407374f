import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { PlanLimits, parseLimits } from "#server/console/operate/plans/plan-limits.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { operatorContext } from "#server/core/operations/companies/operators.ts";
import {
  restoreCompany,
  setOverdueInvoice,
  setService,
  setSubscription,
  suspendCompany,
} from "#server/core/operations/companies/companies.ts";
import { assignPlan, setCustomLimits } from "#server/core/operations/plans/plans.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { CompanyPath, NOT_FOUND } from "./company-row.ts";

const Change = z
  .object({
    plan_id: z.uuid().describe("Assigns a plan"),
    figures: PlanLimits.describe("Sets custom limits and removes the company from its plan"),
    subscription_active: z.boolean(),
    service_enabled: z.boolean(),
    suspended: z.boolean(),
    overdue_invoice: z.object({ number: z.string(), payment_url: z.string() }).nullable(),
  })
  .partial();

export const updateCompany = defineEndpoint({
  method: "PATCH",
  path: "/console/api/operate/companies/{id}",
  summary: "Update a company's plan, limits and access. Omitted fields don't change",
  permission: "operator",
  privilege: null,
  params: CompanyPath,
  notFound: NOT_FOUND,
  body: Change,
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid", "not_allowed"],
  async handle(call) {
    const { params, body, signedIn } = call;
    const isOwn = params.id === signedIn.companyId;
    if (body.suspended && isOwn)
      throw new Refusal(
        "not_allowed",
        "You are signed in to this company. Sign in to another company to suspend it",
      );
    const ctx = await operatorContext(currentOperator(call), params.id);
    await inTransaction(ctx, (ctx) => change(ctx, body));
    return { id: params.id };
  },
});

/** The plan comes first to keep the lock order: plans before companies. */
async function change(ctx: Context, body: z.output<typeof Change>): Promise<void> {
  if (body.plan_id !== undefined) await assignPlan(ctx, body.plan_id);
  if (body.figures !== undefined) await setCustomLimits(ctx, parseLimits(body.figures));
  if (body.subscription_active !== undefined) await setSubscription(ctx, body.subscription_active);
  if (body.service_enabled !== undefined) await setService(ctx, body.service_enabled);
  if (body.overdue_invoice !== undefined)
    await setOverdueInvoice(
      ctx,
      body.overdue_invoice && {
        number: body.overdue_invoice.number,
        paymentUrl: body.overdue_invoice.payment_url,
      },
    );
  if (body.suspended !== undefined)
    await (body.suspended ? suspendCompany(ctx) : restoreCompany(ctx));
}
