import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { operatorContext } from "#server/core/operations/companies/operators.ts";
import { getOperatedCompany } from "#server/core/operations/companies/companies.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { CompanyPath, CompanyRow, companyRow, NOT_FOUND } from "./company-row.ts";

const CompanyDetail = CompanyRow.extend({
  subscription_active: z.boolean(),
  service_enabled: z.boolean(),
  suspended_at: z.string().nullable(),
  overdue_invoice: z.object({ number: z.string(), payment_url: z.string() }).nullable(),
  owners: z.array(z.object({ email: z.string(), name: z.string() })),
  invited_owners: z
    .array(z.object({ email: z.string(), expires_at: z.string() }))
    .describe("Pending invitations as owner"),
  api_keys: z.number(),
  admins: z.number(),
  sessions: z.number(),
  scheduled_emails: z.number(),
  hour_recipients: z.number(),
  is_own: z.boolean().describe("Whether the operator is signed in to this company"),
});

export const getCompany = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/companies/{id}",
  summary: "Retrieve a company with its usage and limits",
  permission: "operator",
  privilege: null,
  params: CompanyPath,
  notFound: NOT_FOUND,
  response: CompanyDetail,
  refusals: ["not_found"],
  async handle(call) {
    const ctx = await operatorContext(currentOperator(call), call.params.id);
    const company = await getOperatedCompany(ctx);
    const { overdueInvoice: invoice, reach } = company;
    return {
      ...companyRow(company),
      subscription_active: company.subscriptionActive,
      service_enabled: company.serviceEnabled,
      suspended_at: company.suspendedAt && consoleTimestamp(company.suspendedAt),
      overdue_invoice: invoice && { number: invoice.number, payment_url: invoice.paymentUrl },
      owners: company.owners,
      invited_owners: company.invitedOwners.map(({ email, expiresAt }) => ({
        ...{ email, expires_at: consoleTimestamp(expiresAt) },
      })),
      api_keys: reach.apiKeys,
      admins: reach.admins,
      sessions: reach.sessions,
      scheduled_emails: reach.scheduledEmails,
      hour_recipients: reach.hourRecipients,
      is_own: company.id === call.signedIn.companyId,
    };
  },
});
