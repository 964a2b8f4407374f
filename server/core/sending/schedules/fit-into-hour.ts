import type { Totals } from "#server/core/sending/quotas/lock-totals.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";

import type { AddressedEmail } from "./without-suppressed.ts";

/** Parts due emails, in their order, into those that the rolling hour has room for and those that must wait. */
export function fitIntoHour(
  due: AddressedEmail[],
  totals: { platform: Totals; companies: Map<string, Totals> },
  limits: Pick<Settings, "hourly_recipients_company" | "hourly_recipients_platform">,
): { fitting: AddressedEmail[]; waiting: AddressedEmail[] } {
  let platform = totals.platform.hour;
  const companies = new Map([...totals.companies].map(([id, { hour }]) => [id, hour]));
  const fitting: AddressedEmail[] = [];
  const waiting: AddressedEmail[] = [];
  for (const addressed of due) {
    const { companyId, recipients } = addressed.email;
    const company = (companies.get(companyId) ?? 0) + recipients;
    if (
      company > limits.hourly_recipients_company ||
      platform + recipients > limits.hourly_recipients_platform
    ) {
      waiting.push(addressed);
      continue;
    }
    companies.set(companyId, company);
    platform += recipients;
    fitting.push(addressed);
  }
  return { fitting, waiting };
}
