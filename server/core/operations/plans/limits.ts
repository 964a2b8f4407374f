import type { Plan } from "#drizzle/schema/index.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
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
  const counts = [0, COUNT_MAX] as const;
  const sizes = [QUOTA_MB_MIN, QUOTA_MB_MAX] as const;
  readFields({
    monthly: () => requireWhole("monthly_allowance", limits.monthlyAllowance, counts),
    domains: () => requireWhole("domains_max", limits.domainsMax, counts),
    mailboxes: () => requireWhole("mailboxes_max", limits.mailboxesMax, counts),
    quotaMax: () => requireWhole("quota_mb_max", limits.quotaMbMax, sizes),
    quota: () => requireWhole("default_quota_mb", limits.defaultQuotaMb, sizes),
  });
  if (limits.quotaMbMax !== null && limits.defaultQuotaMb > limits.quotaMbMax)
    throw new Refusal(
      "invalid",
      `default_quota_mb: must not exceed quota_mb_max, ${limits.quotaMbMax} MB`,
    );
  return pickLimits(limits);
}

function requireWhole(
  name: string,
  value: number | null,
  [min, max]: readonly [number, number],
): void {
  if (value === null || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw new Refusal("invalid", `${name}: must be a whole number from ${min} to ${max}`);
}
