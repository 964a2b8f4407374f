import { and, eq } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { inMode } from "#server/core/shared/mode.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { cancelLocked } from "#server/core/sending/schedules/cancel-locked.ts";
import { lockScheduled } from "#server/core/sending/schedules/lock-scheduled.ts";

import { requireEmail } from "./internal/require-email.ts";

/**
 * Cancels a scheduled email of the company and refunds its quotas.
 *
 * @throws Refusal `not_found`, or `invalid` if it is no longer scheduled
 */
export async function cancelEmail(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const waiting = await lockScheduled(ctx, and(eq(emails.id, id), inMode(ctx, emails.isTest)));
    if (waiting.length === 0) {
      await requireEmail(ctx, id);
      throw new Refusal("invalid", "Only a scheduled email that has not been sent can be canceled");
    }
    await cancelLocked(ctx, waiting, "Canceled on request");
    await recordAudit(ctx, "email.canceled", { email: id });
  });
}
