import type { Plan } from "#drizzle/schema/index.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** What a company may use; null for any number. */
export type Figures = Pick<
  Plan,
  "monthlyAllowance" | "domainsMax" | "mailboxesMax" | "quotaMbMax" | "defaultQuotaMb"
>;

/** Those of a plan or a company, and nothing else of it. */
export const figuresOf = ({
  monthlyAllowance,
  domainsMax,
  mailboxesMax,
  quotaMbMax,
  defaultQuotaMb,
}: Figures): Figures => ({
  ...{ monthlyAllowance, domainsMax, mailboxesMax, quotaMbMax, defaultQuotaMb },
});

/** What the columns hold. */
const COUNT_MAX = 2_000_000_000;

/** @throws Refusal `invalid`, naming the figure first */
export function readFigures(figures: Figures): Figures {
  requireWhole("monthly_allowance", figures.monthlyAllowance, [0, COUNT_MAX]);
  requireWhole("domains_max", figures.domainsMax, [0, COUNT_MAX]);
  requireWhole("mailboxes_max", figures.mailboxesMax, [0, COUNT_MAX]);
  requireWhole("quota_mb_max", figures.quotaMbMax, [QUOTA_MB_MIN, QUOTA_MB_MAX]);
  requireWhole("default_quota_mb", figures.defaultQuotaMb, [QUOTA_MB_MIN, QUOTA_MB_MAX]);
  if (figures.quotaMbMax !== null && figures.defaultQuotaMb > figures.quotaMbMax)
    throw new Refusal(
      "invalid",
      `default_quota_mb: must not be larger than the largest mailbox, ${figures.quotaMbMax} MB`,
    );
  return figuresOf(figures);
}

function requireWhole(name: string, value: number | null, [min, max]: [number, number]): void {
  if (value === null || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw new Refusal("invalid", `${name}: must be a whole number from ${min} to ${max}`);
}
