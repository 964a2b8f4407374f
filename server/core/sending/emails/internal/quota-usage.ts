import { PLATFORM } from "#server/core/sending/quotas/scope.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";

import type { QuotaUsage } from "./insert-emails.ts";
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
