import type { Context } from "#server/core/shared/context.ts";
import { changeTotals } from "#server/core/sending/quotas/change-totals.ts";
import { lockTotals } from "#server/core/sending/quotas/lock-totals.ts";

import { endScheduled, refundTotals, type LockedSchedule } from "./internal/end-scheduled.ts";

/** Cancels scheduled emails that the caller's transaction has locked, and refunds their quotas. */
export async function cancelLocked(
  ctx: Context,
  emails: LockedSchedule[],
  reason: string,
): Promise<void> {
  if (emails.length === 0) return;
  await endScheduled(
    ctx.db,
    emails.map((email) => ({ email, type: "canceled", reason })),
  );
  await lockTotals(ctx.db, [ctx.companyId]);
  await changeTotals(ctx.db, refundTotals(emails));
}
