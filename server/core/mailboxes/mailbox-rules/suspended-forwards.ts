import { and, eq, inArray, isNull, sql } from "drizzle-orm";

import { type ForwardSuspension, forwardSuspensions, mailboxes } from "#drizzle/schema/index.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
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
 * Resumes forwarding to an address. Does nothing if it isn't suspended.
 *
 * @throws Refusal `invalid` if it isn't an email address
 */
export function resumeForward(ctx: Context, mailbox: string, typed: string): Promise<void> {
  const target = parseAddress(typed)?.address;
  if (target === undefined) throw new Refusal("invalid", "Address must be a valid email address");
  return inTransaction(ctx, async (ctx) => {
    if ((await resumeForwards(ctx, mailbox, [target])) > 0)
      await recordAudit(ctx, "mailbox_rules.forward_resumed", { mailbox, address: target });
  });
}

/** @returns how many were suspended */
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
