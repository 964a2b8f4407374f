import { and, eq, sql } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import { cancelLocked, lockScheduled } from "#server/core/sending/schedules/schedules.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inMode, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { requireEmail } from "./emails.ts";

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

/**
 * Changes when a scheduled email of the company is due. Adds no event; the audit log records who did it.
 *
 * @param scheduledAt null: now
 * @throws Refusal `not_found`, or `invalid` if it is no longer scheduled
 */
export async function rescheduleEmail(
  ctx: Context,
  id: string,
  scheduledAt: Date | null,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const [waiting] = await lockScheduled(ctx, and(eq(emails.id, id), inMode(ctx, emails.isTest)));
    if (!waiting) {
      await requireEmail(ctx, id);
      throw new Refusal("invalid", "Only a scheduled email that has not been sent can be updated");
    }
    const due = scheduledAt?.toISOString() ?? sql`statement_timestamp()`;
    await ctx.db
      .update(emails)
      .set({ scheduledAt: due, dueAt: due })
      .where(eq(emails.id, waiting.id));
    const to = scheduledAt?.toISOString() ?? "now";
    await recordAudit(ctx, "email.rescheduled", { email: id, to });
  });
}
