import { and, eq, inArray, isNull, sql } from "drizzle-orm";

import { type ForwardSuspension, forwardSuspensions, mailboxes } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

const isSuspended = (mailbox: string) =>
  and(eq(forwardSuspensions.mailbox, mailbox), isNull(forwardSuspensions.resumedAt));

/** Whether forwarding from a mailbox to an address is suspended. */
export async function isForwardSuspended(
  db: Db,
  mailbox: string,
  target: string,
): Promise<boolean> {
  const found = and(isSuspended(mailbox), eq(forwardSuspensions.target, target));
  return (await db.$count(forwardSuspensions, found)) > 0;
}

/** A mailbox's suspended forwarding addresses, sorted. */
export function listSuspendedForwards(ctx: Context, mailbox: string): Promise<ForwardSuspension[]> {
  const ofCompany = ctx.db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(and(eq(mailboxes.address, mailbox), eq(mailboxes.companyId, ctx.companyId)));
  return ctx.db
    .select()
    .from(forwardSuspensions)
    .where(and(isSuspended(mailbox), inArray(forwardSuspensions.mailbox, ofCompany)))
    .orderBy(forwardSuspensions.target);
}

/**
 * Ends the suspension of forwarding addresses. The rules then have to be compiled again.
 *
 * @returns how many were suspended
 */
export async function resumeForwards(
  ctx: Context,
  mailbox: string,
  targets: string[],
): Promise<number> {
  const suspended = await listSuspendedForwards(ctx, mailbox);
  const wanted = targets.map((target) => target.toLowerCase());
  const given = suspended.map(({ target }) => target).filter((target) => wanted.includes(target));
  if (given.length === 0) return 0;
  await ctx.db
    .update(forwardSuspensions)
    .set({ resumedAt: sql`clock_timestamp()` })
    .where(and(isSuspended(mailbox), inArray(forwardSuspensions.target, given)));
  return given.length;
}
