import type { Context } from "#server/core/shared/context.ts";

import { changeCompany } from "./change-company.ts";

/**
 * Says whether the company has an active subscription. Without one reading works, sending is refused
 * (`account_inactive`), and nothing new can be added.
 */
export function setSubscription(ctx: Context, isActive: boolean): Promise<void> {
  return changeCompany(ctx, ({ subscriptionActive }) =>
    subscriptionActive === isActive
      ? null
      : {
          set: { subscriptionActive: isActive },
          action: isActive ? "company.subscription_started" : "company.subscription_ended",
        },
  );
}
