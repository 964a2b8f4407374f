import { z } from "zod";

import { countedList, PageQuery, sortQuery } from "#server/http/lists.ts";
import { currentOperator } from "./operate.ts";
import { PlanLimits } from "./plans.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { invitationLink } from "#server/core/access/invitations/invitations.ts";
import {
  COMPANY_STATES,
  getOperatedCompany,
  listCompanies,
  type ListedCompany,
  restoreCompany,
  setOverdueInvoice,
  setService,
  setSubscription,
  suspendCompany,
} from "#server/core/operations/companies/companies.ts";
import {
  createOperatedCompany,
  inviteOwner,
} from "#server/core/operations/companies/create-company.ts";
import { operatorContext } from "#server/core/operations/companies/operators.ts";
import { assignPlan, pickLimits, setCustomLimits } from "#server/core/operations/plans/plans.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { operatorChange, operatorRead, pageEndpoints, pathOf } from "#server/http/endpoint.ts";

const CompanyPath = pathOf("Company not found", { id: z.uuid() });

const listedCompany = (company: ListedCompany) => ({
  id: company.id,
  name: company.name,
  purpose: company.purpose,
  state: company.state,
  plan: company.planId === null ? null : { id: company.planId, name: company.planName ?? "" },
  figures: pickLimits(company),
  monthRecipients: company.usage.monthRecipients,
  domains: company.usage.domains,
  mailboxes: company.usage.mailboxes,
  createdAt: consoleTimestamp(company.createdAt),
});

const Filters = z.object({
  search: z.string().max(200).optional(),
  state: z.enum(COMPANY_STATES).optional(),
  plan: z.union([z.uuid(), z.literal("none")]).optional(),
  sort: sortQuery(["name", "created"], "-created"),
});

const Change = z
  .object({
    planId: z.uuid(),
    figures: PlanLimits,
    subscriptionActive: z.boolean(),
    serviceEnabled: z.boolean(),
    suspended: z.boolean(),
    overdueInvoice: z.object({ number: z.string(), paymentUrl: z.string() }).nullable(),
  })
  .partial();

/** The plan comes first to keep the lock order: plans before companies. */
async function changeCompany(ctx: Context, body: z.output<typeof Change>): Promise<void> {
  if (body.planId !== undefined) await assignPlan(ctx, body.planId);
  if (body.figures !== undefined) await setCustomLimits(ctx, body.figures);
  if (body.subscriptionActive !== undefined) await setSubscription(ctx, body.subscriptionActive);
  if (body.serviceEnabled !== undefined) await setService(ctx, body.serviceEnabled);
  if (body.overdueInvoice !== undefined) await setOverdueInvoice(ctx, body.overdueInvoice);
  if (body.suspended !== undefined)
    await (body.suspended ? suspendCompany(ctx) : restoreCompany(ctx));
}

/** The companies of the server, for operators. */
export const companiesConsole = pageEndpoints("console", "companies", {
  list: operatorRead({
    query: z.intersection(PageQuery, Filters),
    async handle({ ctx, query }) {
      const { search = "", state = null, plan = null, sort, ...request } = query;
      const filters = { search: search.trim() || null, state, planId: plan };
      const page = await listCompanies(ctx.db, request, filters, sort);
      return countedList(page, listedCompany);
    },
  }),

  create: operatorChange({
    body: z.object({
      name: z.string(),
      email: z.string(),
      ownerName: z.string().default(""),
      planId: z.uuid().nullable().default(null),
    }),
    async handle(call) {
      const { name, email, ownerName, planId } = call.body;
      const { id, token } = await createOperatedCompany(currentOperator(call), {
        name,
        planId,
        owner: { email, name: ownerName },
      });
      return { id, link: invitationLink(token) };
    },
  }),

  get: operatorRead({
    params: CompanyPath,
    async handle(call) {
      const ctx = await operatorContext(currentOperator(call), call.params.id);
      const company = await getOperatedCompany(ctx);
      const { overdueInvoice: invoice, reach } = company;
      return {
        ...listedCompany(company),
        subscriptionActive: company.subscriptionActive,
        serviceEnabled: company.serviceEnabled,
        suspendedAt: company.suspendedAt && consoleTimestamp(company.suspendedAt),
        overdueInvoice: invoice && { number: invoice.number, paymentUrl: invoice.paymentUrl },
        owners: company.owners,
        invitedOwners: company.invitedOwners.map(({ email, expiresAt }) => ({
          email,
          expiresAt: consoleTimestamp(expiresAt),
        })),
        apiKeys: reach.apiKeys,
        admins: reach.admins,
        sessions: reach.sessions,
        scheduledEmails: reach.scheduledEmails,
        hourRecipients: reach.hourRecipients,
        isOwn: company.id === call.signedIn.companyId,
      };
    },
  }),

  update: operatorChange({
    params: CompanyPath,
    body: Change,
    async handle(call) {
      const { params, body, signedIn } = call;
      const isOwn = params.id === signedIn.companyId;
      if (body.suspended && isOwn)
        throw new Refusal(
          "not_allowed",
          "You are signed in to this company. Sign in to another company to suspend it",
        );
      const ctx = await operatorContext(currentOperator(call), params.id);
      await inTransaction(ctx, (ctx) => changeCompany(ctx, body));
      // The mail of a restored company is no longer on hold.
      wakePump(ctx.db);
      wakeMessages(ctx.db);
      return { id: params.id };
    },
  }),

  inviteOwner: operatorChange({
    params: CompanyPath,
    body: z.object({ email: z.string(), name: z.string().default("") }),
    async handle(call) {
      const ctx = await operatorContext(currentOperator(call), call.params.id);
      const { token } = await inviteOwner(ctx, call.body);
      return { link: invitationLink(token) };
    },
  }),
});
