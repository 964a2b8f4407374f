import { eq } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { enqueueAll } from "#server/jobs/enqueue.ts";

/** By then, a sign-in that was already in progress has finished and can be ended. */
const AFTER_MS = 5_000;

/**
 * Schedules a job that disconnects the mailboxes' mail apps. They sign in again automatically if their password still works.
 * Call in the transaction of the change that ends access.
 */
export async function scheduleMailAppEnd(ctx: Context, ...addresses: string[]): Promise<void> {
  const runAt = new Date(ctx.now().getTime() + AFTER_MS);
  const payloads = addresses.map((address) => ({ address }));
  await enqueueAll(ctx.db, "end_mail_sessions", payloads, { runAt });
}

/** As `scheduleMailAppEnd`, for all mailboxes of the company. */
export async function scheduleCompanyMailAppEnd(ctx: Context): Promise<void> {
  const own = await ctx.db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(eq(mailboxes.companyId, ctx.companyId))
    .orderBy(mailboxes.address);
  await scheduleMailAppEnd(ctx, ...own.map(({ address }) => address));
}
