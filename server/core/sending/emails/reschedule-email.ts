import { and, eq, sql } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { inMode } from "#server/core/shared/mode.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lockScheduled } from "#server/core/sending/schedules/lock-scheduled.ts";

import { requireEmail } from "./internal/require-email.ts";

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
