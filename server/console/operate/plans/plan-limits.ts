import { z } from "zod";

import type { CompanyLimits } from "#server/core/operations/plans/plans.ts";

const limit = z.number().nullable();

/** The limits of a plan or company; null for unlimited. `validateLimits` checks them. */
export const PlanLimits = z.object({
  monthly_allowance: limit.describe("Recipients per calendar month (UTC)"),
  domains_max: limit,
  mailboxes_max: limit,
  quota_mb_max: limit.describe("Maximum storage limit of a mailbox"),
  default_quota_mb: z.number().describe("Default storage limit of new mailboxes"),
});

export function presentLimits(figures: CompanyLimits): z.input<typeof PlanLimits> {
  return {
    monthly_allowance: figures.monthlyAllowance,
    domains_max: figures.domainsMax,
    mailboxes_max: figures.mailboxesMax,
    quota_mb_max: figures.quotaMbMax,
    default_quota_mb: figures.defaultQuotaMb,
  };
}

export function parseLimits(figures: z.output<typeof PlanLimits>): CompanyLimits {
  return {
    monthlyAllowance: figures.monthly_allowance,
    domainsMax: figures.domains_max,
    mailboxesMax: figures.mailboxes_max,
    quotaMbMax: figures.quota_mb_max,
    defaultQuotaMb: figures.default_quota_mb,
  };
}
