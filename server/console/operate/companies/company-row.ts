import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { COMPANY_STATES, type ListedCompany } from "#server/core/operations/companies/companies.ts";

import { PlanLimits, presentLimits } from "#server/console/operate/plans/plan-limits.ts";

export const CompanyPath = z.object({ id: z.uuid() });
export const NOT_FOUND = "Company not found";
export const CompanyState = z.enum(COMPANY_STATES);

export const CompanyRow = z.object({
  id: z.uuid(),
  name: z.string(),
  purpose: z.enum(["customer", "sandbox", "platform"]),
  state: CompanyState.describe("The most severe restriction that applies"),
  plan: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  figures: PlanLimits,
  month_recipients: z.number(),
  domains: z.number(),
  mailboxes: z.number(),
  created_at: z.string(),
});

export function companyRow(company: ListedCompany): z.input<typeof CompanyRow> {
  return {
    id: company.id,
    name: company.name,
    purpose: company.purpose,
    state: company.state,
    plan: company.planId === null ? null : { id: company.planId, name: company.planName ?? "" },
    figures: presentLimits(company),
    month_recipients: company.usage.monthRecipients,
    domains: company.usage.domains,
    mailboxes: company.usage.mailboxes,
    created_at: consoleTimestamp(company.createdAt),
  };
}
