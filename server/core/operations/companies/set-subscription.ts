import type { Context } from "#server/core/shared/context.ts";

import { changeCompany } from "./change-company.ts";

/**
 * Sets whether the company has an active subscription. Without one, reading works, but sending and creating domains
 * and mailboxes fail with `account_inactive`.
 */
export async function setSubscription(ctx: Context, isActive: boolean): Promise<void> {
  await changeCompany(ctx, ({ subscriptionActive }) =>
    subscriptionActive === isActive
      ? null
      : {
          set: { subscriptionActive: isActive },
          action: isActive ? "company.subscription_started" : "company.subscription_ended",
        },
  );
}
