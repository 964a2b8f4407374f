import { z } from "zod";

import type { Figures as CoreLimits } from "#server/core/operations/plans/figures.ts";

const orAny = z.number().nullable();

/** What a company or a plan allows; null for any number. Their rules are those of `readFigures`. */
export const PlanLimits = z.object({
  monthly_allowance: orAny.describe("Recipients per calendar month (UTC)"),
  domains_max: orAny,
  mailboxes_max: orAny,
  quota_mb_max: orAny.describe("Largest mailbox"),
  default_quota_mb: z.number().describe("A new mailbox, when nothing else says"),
});

export function presentLimits(figures: CoreLimits): z.input<typeof PlanLimits> {
  return {
    monthly_allowance: figures.monthlyAllowance,
    domains_max: figures.domainsMax,
    mailboxes_max: figures.mailboxesMax,
    quota_mb_max: figures.quotaMbMax,
    default_quota_mb: figures.defaultQuotaMb,
  };
}

export function parseLimits(figures: z.output<typeof PlanLimits>): CoreLimits {
  return {
    monthlyAllowance: figures.monthly_allowance,
    domainsMax: figures.domains_max,
    mailboxesMax: figures.mailboxes_max,
    quotaMbMax: figures.quota_mb_max,
    defaultQuotaMb: figures.default_quota_mb,
  };
}
