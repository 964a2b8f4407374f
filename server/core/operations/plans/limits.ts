import type { Plan } from "#drizzle/schema/index.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** A company's limits; null for unlimited. */
export type CompanyLimits = Pick<
  Plan,
  "monthlyAllowance" | "domainsMax" | "mailboxesMax" | "quotaMbMax" | "defaultQuotaMb"
>;

/** Picks the limits from a plan or company. */
export const pickLimits = ({
  monthlyAllowance,
  domainsMax,
  mailboxesMax,
  quotaMbMax,
  defaultQuotaMb,
}: CompanyLimits): CompanyLimits => ({
  ...{ monthlyAllowance, domainsMax, mailboxesMax, quotaMbMax, defaultQuotaMb },
});

// Fits an int column.
const COUNT_MAX = 2_000_000_000;

/** @throws Refusal `invalid`, with the limit's name first */
export function validateLimits(limits: CompanyLimits): CompanyLimits {
  requireWhole("monthly_allowance", limits.monthlyAllowance, [0, COUNT_MAX]);
  requireWhole("domains_max", limits.domainsMax, [0, COUNT_MAX]);
  requireWhole("mailboxes_max", limits.mailboxesMax, [0, COUNT_MAX]);
  requireWhole("quota_mb_max", limits.quotaMbMax, [QUOTA_MB_MIN, QUOTA_MB_MAX]);
  requireWhole("default_quota_mb", limits.defaultQuotaMb, [QUOTA_MB_MIN, QUOTA_MB_MAX]);
  if (limits.quotaMbMax !== null && limits.defaultQuotaMb > limits.quotaMbMax)
    throw new Refusal(
      "invalid",
      `default_quota_mb: must not exceed quota_mb_max, ${limits.quotaMbMax} MB`,
    );
  return pickLimits(limits);
}

function requireWhole(name: string, value: number | null, [min, max]: [number, number]): void {
  if (value === null || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw new Refusal("invalid", `${name}: must be a whole number from ${min} to ${max}`);
}
