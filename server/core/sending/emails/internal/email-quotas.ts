import type { Settings } from "#server/core/platform/settings/settings.ts";
import { PLATFORM, type Totals } from "#server/core/sending/quotas/totals.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { CheckedRequest } from "./check-request.ts";
import type { SendingFacts } from "./read-sending-facts.ts";

type Bounds = { facts: Pick<SendingFacts, "companies">; limits: Settings };

/** Sums what accepted requests add to the totals of each company and of the platform, with the limits. */
export function quotaUsage(accepted: CheckedRequest[], { facts, limits }: Bounds): QuotaUsage[] {
  const companies = new Map<string, QuotaUsage>();
  let platformHour = 0;
  for (const { change } of accepted) {
    const { companyId, hour, month, scheduled } = change;
    if (hour + month + scheduled === 0) continue;
    const taken = companies.get(companyId);
    if (taken) {
      taken.hour += hour;
      taken.month += month;
      taken.scheduled += scheduled;
    } else
      companies.set(companyId, {
        scope: companyId,
        hour,
        hour_max: limits.hourly_recipients_company,
        month,
        month_max: facts.companies.get(companyId)!.monthlyAllowance,
        scheduled,
        scheduled_max: limits.scheduled_backlog,
      });
    platformHour += hour;
  }
  if (companies.size === 0) return [];
  const platform = {
    scope: PLATFORM,
    hour: platformHour,
    hour_max: limits.hourly_recipients_platform,
    month: 0,
    month_max: null,
    scheduled: 0,
    scheduled_max: null,
  };
  return [platform, ...companies.values()];
}

type Quotas = {
  /** Totals include everything accepted so far: each reservation adds to them. */
  facts: Pick<SendingFacts, "companies" | "platform">;
  limits: Settings;
};

/**
 * Reserves the quotas of a request's emails: all of them or, if one is exceeded, none. The errors carry no
 * retry time, since a sliding hour or a month offers none.
 */
export function reserveQuotas({ change }: CheckedRequest, quotas: Quotas): Refusal | null {
  const { platform, companies } = quotas.facts;
  const { totals } = companies.get(change.companyId)!;
  const refusal = findExceededLimit(change, totals, quotas);
  if (refusal) return refusal;
  totals.hour += change.hour;
  platform.hour += change.hour;
  totals.month += change.month;
  totals.scheduled += change.scheduled;
  return null;
}

function findExceededLimit(
  { companyId, hour, month, scheduled }: CheckedRequest["change"],
  totals: Totals,
  { facts: { platform, companies }, limits }: Quotas,
): Refusal | null {
  if (hour > 0) {
    const isOver =
      totals.hour + hour > limits.hourly_recipients_company ||
      platform.hour + hour > limits.hourly_recipients_platform;
    if (isOver) return new Refusal("rate_limit_exceeded", "Hourly sending limit reached");
  }
  const { monthlyAllowance } = companies.get(companyId)!;
  if (monthlyAllowance !== null && month > 0 && totals.month + month > monthlyAllowance)
    return new Refusal("monthly_quota_exceeded", "The plan's monthly allowance is used up");
  if (scheduled > 0 && totals.scheduled + scheduled > limits.scheduled_backlog)
    return new Refusal(
      "rate_limit_exceeded",
      `At most ${limits.scheduled_backlog} recipients can wait in scheduled emails. Try again once some have been sent`,
    );
  return null;
}

/** What to add to the totals of a scope, and their limits; null for no limit. */
export type QuotaUsage = {
  scope: string;
  hour: number;
  hour_max: number | null;
  month: number;
  month_max: number | null;
  scheduled: number;
  scheduled_max: number | null;
};
